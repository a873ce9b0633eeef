// SPDX-License-Identifier: Apache-2.0
#include "codegen/block_machine.hpp"

#include <algorithm>

namespace fusec::codegen {

BlockMachine::BlockMachine(const Kernel& kernel) : kernel_(kernel), words_(static_cast<std::size_t>((kernel.shared_bytes + 3) / 4)) {
    for (const Value& value : kernel.values) {
        registers_.emplace_back(static_cast<std::size_t>(kernel.mapped_threads() * value.type.shape.size()));
    }
}

bool BlockMachine::ordered(const Access& before, int thread, int together) const {
    return before.thread == thread || block_barrier_ > before.step ||
        (warp_barrier_ > before.step && before.thread / warp == thread / warp) ||
        (before.step == step_ && together >= 0 && before.together == together);
}

void BlockMachine::wait() {
    for (Word& word : words_) {
        if (word.async) {
            word.async = false;
            word.writer.step = step_;
        }
    }
    for (auto& [list, words] : old_values_) {
        for (auto& [component, word] : words) {
            if (word.async) {
                word.async = false;
                word.readers.back().step = step_;
            }
        }
    }
}

std::string BlockMachine::read_old(std::size_t list, int component, int thread, bool async) {
    ListWord& word = old_values_[list][component];
    word.readers.push_back({thread, step_, -1});
    word.async = word.async || async;
    return word.written ? "its old value is read after the new one is stored" : "";
}

std::string BlockMachine::write_new(std::size_t list, int component, int thread) {
    ListWord& word = old_values_[list][component];
    word.written = true;
    if (word.async) {
        return "stored while an asynchronous copy from there is under way";
    }
    for (const Access& reader : word.readers) {
        if (!ordered(reader, thread, -1)) {
            return "stored without a barrier after thread " + std::to_string(reader.thread) + " read its old value in step " +
                std::to_string(reader.step);
        }
    }
    return {};
}

std::string BlockMachine::read(std::size_t tile, int component, int byte, int thread, int together) {
    for (int w = 0; w < words_of(tile); ++w) {
        Word& word = words_[static_cast<std::size_t>(byte / 4 + w)];
        if (word.tile < 0) {
            return "read before it is written";
        }
        if (word.tile != static_cast<int>(tile) || word.component != component) {
            return "read where the tile holds `" + kernel_.tiles[static_cast<std::size_t>(word.tile)].name + "`";
        }
        if (word.async) {
            return "read before the wait for its asynchronous copy";
        }
        if (!ordered(word.writer, thread, together)) {
            return "read without a barrier after thread " + std::to_string(word.writer.thread) + " wrote it in step " +
                std::to_string(word.writer.step);
        }
        if (!word.readers.empty() && word.readers.back().step < block_barrier_) {
            word.readers.clear();
        }
        word.readers.push_back({thread, step_, together});
    }
    return {};
}

std::string BlockMachine::write(std::size_t tile, int component, int byte, int thread, bool async, int together) {
    std::string conflict;
    for (int w = 0; w < words_of(tile); ++w) {
        Word& word = words_[static_cast<std::size_t>(byte / 4 + w)];
        if (word.async) {
            conflict = "written while an asynchronous copy into it is under way";
        } else if (word.writer.thread >= 0 && !ordered(word.writer, thread, together)) {
            conflict = "written without a barrier after thread " + std::to_string(word.writer.thread) + " wrote there in step " +
                std::to_string(word.writer.step);
        }
        for (const Access& reader : word.readers) {
            if (!ordered(reader, thread, together)) {
                conflict = "written without a barrier after thread " + std::to_string(reader.thread) + " read there in step " +
                    std::to_string(reader.step);
                break;
            }
        }
        word.tile = static_cast<int>(tile);
        word.component = component;
        word.async = async;
        word.writer = {thread, step_, together};
        word.readers.clear();
    }
    return conflict;
}

BlockMachine::Register& BlockMachine::register_of(std::size_t value, int thread, int component) {
    return registers_[value][static_cast<std::size_t>(thread * kernel_.values[value].type.shape.size() + component)];
}

void BlockMachine::define(std::size_t value, int thread, int element, int component) {
    register_of(value, thread, component) = {true, element};
}

std::string BlockMachine::use(std::size_t value, int thread, int element, int component) const {
    const Register& held = registers_[value][static_cast<std::size_t>(thread * kernel_.values[value].type.shape.size() + component)];
    if (!held.defined) {
        return "not in this thread's registers";
    }
    if (held.element != any_element && held.element != element) {
        return "this thread holds it for element " + std::to_string(held.element);
    }
    return {};
}

bool BlockMachine::copies_under_way() const {
    return std::any_of(words_.begin(), words_.end(), [](const Word& word) { return word.async; });
}

} // namespace fusec::codegen
