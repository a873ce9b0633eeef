// SPDX-License-Identifier: Apache-2.0
// Pointers into emulated shared memory. They look like T* to device sources; every access goes to the machine, which keeps the
// shadow state of each word.
#pragma once

#include "machine_interface.h"

#include <type_traits>

namespace fusec_emulation {

/// What `pointer[i]` gives for a mutable pointer: reads on conversion, writes on assignment.
template <class T>
class shared_reference {
public:
    explicit shared_reference(std::ptrdiff_t offset) : offset_(offset) {}
    shared_reference(const shared_reference&) = default;

    operator T() const {
        T value;
        machine->read(offset_, &value, sizeof(T));
        return value;
    }
    // Assignment goes through to memory; rvalue references are assigned to, as with `view(i, j) = x`.
    const shared_reference& operator=(const T& value) const {
        machine->write(offset_, &value, sizeof(T));
        return *this;
    }
    const shared_reference& operator=(const shared_reference& other) const { return *this = T(other); }
    shared_reference& operator=(const shared_reference& other) {
        static_cast<const shared_reference&>(*this) = T(other);
        return *this;
    }
    const shared_reference& operator+=(const T& value) const { return *this = T(*this) + value; }
    const shared_reference& operator-=(const T& value) const { return *this = T(*this) - value; }
    const shared_reference& operator*=(const T& value) const { return *this = T(*this) * value; }
    const shared_reference& operator/=(const T& value) const { return *this = T(*this) / value; }

private:
    std::ptrdiff_t offset_;
};

/// Stands for `T*` into the block's dynamic shared memory.
template <class T>
class shared_pointer {
public:
    using value_type = std::remove_const_t<T>;
    using reference = std::conditional_t<std::is_const_v<T>, value_type, shared_reference<value_type>>;
    using difference_type = std::ptrdiff_t;
    static_assert(std::is_trivially_copyable_v<value_type>);

    shared_pointer() = default;
    explicit shared_pointer(std::ptrdiff_t byte_offset) : offset_(byte_offset) {}
    /// T* to const T*.
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    shared_pointer(shared_pointer<U> other) : offset_(other.byte_offset()) {}

    reference operator[](std::ptrdiff_t index) const {
        return reference(shared_reference<value_type>(offset_ + index * static_cast<std::ptrdiff_t>(sizeof(T))));
    }
    reference operator*() const { return (*this)[0]; }

    friend shared_pointer operator+(shared_pointer pointer, std::ptrdiff_t count) {
        return shared_pointer(pointer.offset_ + count * static_cast<std::ptrdiff_t>(sizeof(T)));
    }
    friend shared_pointer operator+(std::ptrdiff_t count, shared_pointer pointer) { return pointer + count; }
    friend shared_pointer operator-(shared_pointer pointer, std::ptrdiff_t count) { return pointer + -count; }
    friend std::ptrdiff_t operator-(shared_pointer a, shared_pointer b) {
        return (a.offset_ - b.offset_) / static_cast<std::ptrdiff_t>(sizeof(T));
    }
    shared_pointer& operator+=(std::ptrdiff_t count) { return *this = *this + count; }
    shared_pointer& operator-=(std::ptrdiff_t count) { return *this = *this - count; }
    shared_pointer& operator++() { return *this += 1; }
    shared_pointer& operator--() { return *this -= 1; }

    friend bool operator==(shared_pointer a, shared_pointer b) { return a.offset_ == b.offset_; }
    friend bool operator!=(shared_pointer a, shared_pointer b) { return a.offset_ != b.offset_; }
    friend bool operator<(shared_pointer a, shared_pointer b) { return a.offset_ < b.offset_; }
    friend bool operator<=(shared_pointer a, shared_pointer b) { return a.offset_ <= b.offset_; }
    friend bool operator>(shared_pointer a, shared_pointer b) { return a.offset_ > b.offset_; }
    friend bool operator>=(shared_pointer a, shared_pointer b) { return a.offset_ >= b.offset_; }

    std::ptrdiff_t byte_offset() const { return offset_; }

private:
    std::ptrdiff_t offset_ = 0;
};

/// The block's dynamic shared memory, seen as T.
template <class T>
shared_pointer<T> shared_memory() {
    return shared_pointer<T>(0);
}

/// `reinterpret_cast<V*>(pointer)` for a wide access; the machine demands alignment to sizeof(V) when the access is made.
template <class V, class T>
shared_pointer<std::conditional_t<std::is_const_v<T>, const V, V>> vector_pointer(shared_pointer<T> pointer) {
    return shared_pointer<std::conditional_t<std::is_const_v<T>, const V, V>>(pointer.byte_offset());
}
/// The same for global memory; checked here, once for the run of accesses made through the result.
template <class V, class T>
std::conditional_t<std::is_const_v<T>, const V, V>* vector_pointer(T* pointer) {
    machine->check_alignment(pointer, sizeof(V));
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(pointer);
}

/// cp.async of 4, 8 or 16 bytes from global to shared memory; both sides aligned to the width.
template <class T>
void copy_async(shared_pointer<T> destination, const void* source, unsigned bytes) {
    machine->copy_async(destination.byte_offset(), source, bytes);
}
/// cp.async.wait_all: all copies of the calling thread have arrived, for this thread.
inline void copy_async_wait_all() {
    machine->wait_copies();
}

} // namespace fusec_emulation
