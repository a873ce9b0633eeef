// SPDX-License-Identifier: Apache-2.0
// The format: numpy.org/neps/nep-0001-npy-format.html. A header of fixed fields, then a Python dictionary literal with exactly the
// keys descr, fortran_order and shape, then the data.
#include "execute/npy.hpp"

#include "support/counted.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fusec::execute {

static_assert(std::endian::native == std::endian::little, "the data is copied as it stands");

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64; ///< of the data in files that NumPy writes
constexpr std::size_t longest_preamble = 12;
constexpr std::size_t longest_header = std::size_t{1} << 20U; ///< NumPy itself reads 10,000 bytes

/// The dimensions a file must have after the n.
std::vector<std::uint64_t> dimensions_of(const Shape& shape) {
    switch (shape.form) {
    case Form::scalar:
        return {};
    case Form::vector:
        return {static_cast<std::uint64_t>(shape.rows)};
    case Form::matrix:
        if (shape.packed) {
            return {static_cast<std::uint64_t>(shape.size())};
        }
        return {static_cast<std::uint64_t>(shape.rows), static_cast<std::uint64_t>(shape.columns)};
    }
    return {};
}

/// A text of the file in a message: its first 40 bytes, what is not printable ASCII as `\xNN`.
std::string shown(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string result = "`";
    for (const char c : text.substr(0, most)) {
        result += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return result + (text.size() > most ? "...`" : "`");
}

/// As Python writes a tuple; the first entry may be the letter n. Of very many entries the first are said.
std::string tuple_text(const std::vector<std::string>& entries) {
    constexpr std::size_t most = 8;
    std::string text = "(";
    for (std::size_t i = 0; i < std::min(most, entries.size()); ++i) {
        text += (i == 0 ? "" : ", ") + entries[i];
    }
    if (entries.size() > most) {
        text += fmt::format(", ... {} more", entries.size() - most);
    }
    return text + (entries.size() == 1 ? ",)" : ")");
}

std::vector<std::string> numbers_text(const std::vector<std::uint64_t>& numbers) {
    std::vector<std::string> text;
    for (const std::uint64_t number : numbers) {
        text.push_back(std::to_string(number));
    }
    return text;
}

const char* descriptor(Precision precision) {
    return precision == Precision::f32 ? "<f4" : "<f8";
}

/// Bytes of the header after the first `longest_preamble` bytes of a file, or fewer if it ends before; 0 where that is none.
std::size_t header_length(std::string_view first) {
    if (first.size() < 8) {
        return 0;
    }
    std::size_t length = 0;
    const std::size_t length_bytes = first[6] == 1 ? 2 : 4;
    for (std::size_t i = 0; i < length_bytes && 8 + i < first.size(); ++i) {
        length |= static_cast<std::size_t>(static_cast<unsigned char>(first[8 + i])) << (8 * i);
    }
    return length;
}

/// Where the data of a file is, and how much.
struct NumpyData {
    std::size_t begin = 0;
    std::uint64_t elements = 0;
    std::size_t bytes = 0;
};

/// Reads what comes before the data; the first error ends it.
class Parser {
public:
    /// `bytes` are the file's first, its whole header if it has one; `size` is that of the file.
    Parser(std::string_view bytes, std::uint64_t size, const std::filesystem::path& path, const NumpyExpectation& expected,
        Diagnostics& diagnostics)
        : bytes_(bytes), size_(size), path_(path), expected_(expected), diagnostics_(diagnostics) {}

    std::optional<NumpyData> parse() {
        if (!preamble() || !dictionary()) {
            return std::nullopt;
        }
        return data();
    }

private:
    bool fail(std::size_t offset, const std::string& message) {
        diagnostics_.report(kind::numpy_file, {}, "`" + path_.string() + "`, byte " + std::to_string(offset) + ": " + message);
        return false;
    }

    bool preamble() {
        if (bytes_.substr(0, magic.size()) != magic) {
            return fail(
                0, bytes_.empty() ? "the file is empty, a NumPy file was expected" : "no NumPy file: it does not begin with `\\x93NUMPY`");
        }
        if (bytes_.size() < 8) {
            return fail(bytes_.size(), "the file ends within the format version");
        }
        const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i])); };
        const std::size_t version = byte(6);
        if ((version != 1 && version != 2) || byte(7) != 0) {
            return fail(6, "format version " + std::to_string(version) + "." + std::to_string(byte(7)) + " found, 1.0 or 2.0 expected");
        }
        const std::size_t length_bytes = version == 1 ? 2 : 4;
        position_ = 8 + length_bytes;
        if (bytes_.size() < position_) {
            return fail(bytes_.size(), "the file ends within the header's length");
        }
        const std::size_t length = header_length(bytes_);
        if (length > size_ - position_) {
            return fail(8,
                "the header is said to have " + counted(length, "byte") + ", " + std::to_string(size_ - position_) +
                    (size_ - position_ == 1 ? " is" : " are") + " left in the file");
        }
        if (length > longest_header) {
            return fail(8, "the header is said to have " + counted(length, "byte") + ", the limit is " + std::to_string(longest_header));
        }
        end_ = position_ + length;
        return true;
    }

    void skip_blanks() {
        while (position_ < end_ &&
            (bytes_[position_] == ' ' || bytes_[position_] == '\n' || bytes_[position_] == '\t' || bytes_[position_] == '\r')) {
            ++position_;
        }
    }
    bool next_is(char c) {
        skip_blanks();
        return position_ < end_ && bytes_[position_] == c;
    }
    bool expect(char c) {
        if (!next_is(c)) {
            return fail(position_,
                std::string("`") + c + "` expected in the header, " + (position_ < end_ ? shown(bytes_.substr(position_, 1)) : "its end") +
                    " found");
        }
        ++position_;
        return true;
    }
    std::optional<std::string> string() {
        skip_blanks();
        if (position_ >= end_ || (bytes_[position_] != '\'' && bytes_[position_] != '"')) {
            fail(position_, "a string expected in the header");
            return std::nullopt;
        }
        const std::size_t close = bytes_.find(bytes_[position_], position_ + 1);
        if (close == std::string_view::npos || close >= end_) {
            fail(position_, "a string in the header does not end");
            return std::nullopt;
        }
        const std::string text(bytes_.substr(position_ + 1, close - position_ - 1));
        position_ = close + 1;
        return text;
    }

    bool dictionary() {
        bool descr = false, order = false, shape = false;
        if (!expect('{')) {
            return false;
        }
        while (!next_is('}')) {
            skip_blanks();
            const std::size_t at = position_;
            const std::optional<std::string> key = string();
            if (!key || !expect(':')) {
                return false;
            }
            bool* const seen = *key == "descr" ? &descr : *key == "fortran_order" ? &order : *key == "shape" ? &shape : nullptr;
            if (seen == nullptr || *seen) {
                return fail(at, "the key " + shown(*key) + " " + (seen == nullptr ? "is unknown" : "stands twice"));
            }
            *seen = true;
            skip_blanks();
            if (!(seen == &descr ? read_descriptor() : seen == &order ? read_order() : read_shape())) {
                return false;
            }
            if (!next_is('}') && !expect(',')) {
                return false;
            }
        }
        ++position_;
        skip_blanks();
        if (position_ != end_) {
            return fail(position_, "more text after the header's dictionary");
        }
        if (!descr || !order || !shape) {
            return fail(end_, std::string("the header has no key `") + (!descr ? "descr" : !order ? "fortran_order" : "shape") + "`");
        }
        return true;
    }

    bool read_descriptor() {
        const std::size_t at = position_;
        if (next_is('[')) {
            return fail(at, "records found, `" + std::string(descriptor(expected_.type.precision)) + "` expected");
        }
        const std::optional<std::string> found = string();
        if (!found) {
            return false;
        }
        if (*found != descriptor(expected_.type.precision)) {
            return fail(at,
                "components " + shown(*found) + " found, `" + descriptor(expected_.type.precision) + "` expected for `" + expected_.datum +
                    "` (" + to_string(expected_.type) + ")");
        }
        return true;
    }

    bool read_order() {
        for (const std::string_view word : {"False", "True"}) {
            if (bytes_.substr(position_, word.size()) == word) {
                if (word == "True") {
                    return fail(position_, "Fortran order found, C order expected");
                }
                position_ += word.size();
                return true;
            }
        }
        return fail(position_, "`True` or `False` expected in the header");
    }

    bool read_shape() {
        const std::size_t at = position_;
        std::vector<std::uint64_t> found;
        if (!expect('(')) {
            return false;
        }
        while (!next_is(')')) {
            std::uint64_t number = 0;
            const std::size_t first = position_;
            for (; position_ < end_ && bytes_[position_] >= '0' && bytes_[position_] <= '9'; ++position_) {
                const auto digit = static_cast<std::uint64_t>(bytes_[position_] - '0');
                if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
                    return fail(first, "a dimension does not fit 64 bits");
                }
                number = number * 10 + digit;
            }
            if (position_ == first) {
                return fail(position_, "a dimension expected in the shape");
            }
            if (position_ < end_ && bytes_[position_] == 'L') { // Python 2 wrote long integers so
                ++position_;
            }
            found.push_back(number);
            if (!next_is(')') && !expect(',')) {
                return false;
            }
        }
        ++position_;

        std::vector<std::uint64_t> wanted = dimensions_of(expected_.type.shape);
        std::vector<std::string> wanted_text = numbers_text(wanted);
        if (!expected_.uniform) {
            wanted_text.insert(wanted_text.begin(), "n");
            wanted.insert(wanted.begin(), found.empty() ? 0 : found.front());
        }
        if (found != wanted) {
            return fail(at,
                "shape " + tuple_text(numbers_text(found)) + " found, " + tuple_text(wanted_text) + " expected for `" + expected_.datum +
                    "` (" + (expected_.uniform ? "uniform " : "") + to_string(expected_.type) + ")");
        }
        elements_ = expected_.uniform ? 1 : found.front();
        return true;
    }

    std::optional<NumpyData> data() {
        const std::uint64_t present = size_ - end_;
        const auto element = static_cast<std::uint64_t>(expected_.type.bytes());
        if (elements_ > std::numeric_limits<std::uint64_t>::max() / element || elements_ * element != present) {
            fail(end_,
                counted(present, "byte") + " of data found, " + counted(elements_, "element") + " of " + counted(element, "byte") +
                    " expected");
            return std::nullopt;
        }
        return NumpyData{end_, elements_, present};
    }

    std::string_view bytes_;
    std::uint64_t size_;
    const std::filesystem::path& path_;
    const NumpyExpectation& expected_;
    Diagnostics& diagnostics_;
    std::size_t position_ = 0;
    std::size_t end_ = 0; ///< of the header
    std::uint64_t elements_ = 0;
};

/// Closes the file at the end.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

/// Fills `into` from this offset on; false if the file cannot be read so far.
bool read_at(int file, std::size_t offset, std::string& into) {
    for (std::size_t done = 0; done < into.size();) {
        const ssize_t count = ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

std::nullopt_t unreadable(const std::filesystem::path& path, const std::string& why, Diagnostics& diagnostics) {
    diagnostics.report(kind::unreadable_file, {}, "cannot read `" + path.string() + "`: " + why);
    return std::nullopt;
}

} // namespace

std::optional<NumpyList> parse_numpy(
    std::string_view bytes, const std::filesystem::path& path, const NumpyExpectation& expected, Diagnostics& diagnostics) {
    const auto data = Parser(bytes, bytes.size(), path, expected, diagnostics).parse();
    return data ? std::optional(NumpyList{data->elements, std::string(bytes.substr(data->begin))}) : std::nullopt;
}

std::optional<NumpyList> read_numpy(const std::filesystem::path& path, const NumpyExpectation& expected, Diagnostics& diagnostics) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a pipe without a writer would wait
    struct stat status{};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        return unreadable(path, std::strerror(errno), diagnostics);
    }
    if (!S_ISREG(status.st_mode)) {
        return unreadable(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file", diagnostics);
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const auto at_most = [&](std::size_t bytes) { return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size)); };
    std::string header(at_most(longest_preamble), '\0');
    if (!read_at(file.number(), 0, header)) {
        return unreadable(path, "it ends before its size", diagnostics);
    }
    header.resize(at_most(longest_preamble + std::min(header_length(header), longest_header)));
    if (!read_at(file.number(), 0, header)) {
        return unreadable(path, "it ends before its size", diagnostics);
    }
    const auto data = Parser(header, size, path, expected, diagnostics).parse();
    if (!data) {
        return std::nullopt;
    }
    const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    if (static_cast<double>(data->bytes) > memory) {
        diagnostics.report(kind::memory_limit, {},
            fmt::format("`{}` has {}, this machine has memory of {:.0f}", path.string(), counted(data->bytes, "byte"), memory));
        return std::nullopt;
    }
    NumpyList list{data->elements, std::string(data->bytes, '\0')};
    if (!read_at(file.number(), data->begin, list.bytes)) {
        return unreadable(path, "it ends before its size", diagnostics);
    }
    return list;
}

std::string numpy_file(const NumpyList& list, const Type& type, bool uniform) {
    std::vector<std::string> shape = numbers_text(dimensions_of(type.shape));
    if (!uniform) {
        shape.insert(shape.begin(), std::to_string(list.elements));
    }
    std::string header =
        std::string("{'descr': '") + descriptor(type.precision) + "', 'fortran_order': False, 'shape': " + tuple_text(shape) + ", }";
    const std::size_t prefix = magic.size() + 4;
    header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
    header += '\n';
    std::string file(magic);
    file += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    return file + header + list.bytes;
}

} // namespace fusec::execute
