# SPDX-License-Identifier: Apache-2.0
"""How far predictions are from measurements, as perfmodel/fit/statistics.hpp defines it: all scripts that write tables count so."""
import math


def nine_in_ten(values):
    """The least value that at least 90 % of the values do not exceed. Of no values: ValueError."""
    if not values:
        raise ValueError("nine in ten of nothing")
    return sorted(values)[(9 * len(values) + 9) // 10 - 1]


def ranks(values):
    """From 0; equal values have the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    result = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin + 1
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            result[place] = (begin + end - 1) / 2
        begin = end
    return result


def rank_list(given):
    """Ranks of a result, as text: halves where predictions are equal. Results of before have whole numbers, of equal predictions the least rank."""
    return ", ".join(f"{rank:g}" for rank in given)


def of_equal_predictions(lists):
    """What the ranks of a result say of equal predictions: fractional numbers in JSON are means, whole ones are of before."""
    return "all have the least of their ranks" if all(isinstance(rank, int) for given in lists for rank in given) else "have the mean of their ranks"


def rank_correlation(left, right):
    """Spearman's: Pearson's correlation of the ranks; 0 where one side has no order."""
    x, y = ranks(left), ranks(right)
    mean = (len(x) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    squares = sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y)
    return both / math.sqrt(squares) if squares else 0.0


def merged(values, spreads):
    """As perfmodel/fit/statistics.hpp has it: values that exceed the least of their group by no more than their own spread (relative) count as equal to it."""
    result, first = list(values), None
    for place in sorted(range(len(values)), key=lambda place: values[place]):
        if first is None or values[place] > first * (1 + spreads[place]):
            first = values[place]
        result[place] = first
    return result


def merged_rank_correlation(predicted, measured, spreads):
    """Spearman's, of predictions and of measurements that scatter."""
    return rank_correlation(predicted, merged(measured, spreads))


def within_a_factor(values, factor, most):
    """Places of at most `most` of the values between t and `factor` times t, with the least t that takes in most of them; where they are more, evenly spread over
    their ranks, the first and the last among them. Ascending by value. Of positive values; most >= 2."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    first = count = high = 0
    for low, place in enumerate(order):
        while high < len(order) and values[order[high]] <= factor * values[place]:
            high += 1
        if high - low > count:
            first, count = low, high - low
    sampled = min(most, count)
    return [order[first + (i if sampled == count else i * (count - 1) // (sampled - 1))] for i in range(sampled)]


def accuracy(predicted, measured):
    """Of as many predictions as measurements, one or more, all measurements positive: mean, nine in ten and greatest of |predicted / measured - 1|, and the rank correlation."""
    errors = [abs(said / seen - 1) for said, seen in zip(predicted, measured, strict=True)]
    return {"points": len(errors), "mape": sum(errors) / len(errors), "p90": nine_in_ten(errors), "worst": max(errors),
            "spearman": rank_correlation(predicted, measured)}


def best_greater_of_two(left, right, measured):
    """How near a model that takes the greater of two sums can come, whatever its sums are scaled by: (mean of |max(a left, b right) / measured - 1|, a, b) with the factors from a
    tenth to ten, to a thousandth, that make it least, as a search in three steps finds them. Of positive values, as many of each, one or more."""
    triples = list(zip(left, right, measured, strict=True))

    def error(a, b):
        return sum(abs(max(a * x, b * y) / m - 1) for x, y, m in triples) / len(triples)

    best = (error(1, 1), 1, 1)
    for step, reach in ((1.05, 48), (1.01, 10), (1.001, 12)):
        a, b = best[1:]
        best = min((error(a * step**i, b * step**k), a * step**i, b * step**k) for i in range(-reach, reach + 1) for k in range(-reach, reach + 1))
    return best
