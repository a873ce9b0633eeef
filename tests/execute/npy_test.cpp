// SPDX-License-Identifier: Apache-2.0
// NumPy files against bytes written by hand, and by NumPy itself where it is installed.
#include "execute/npy.hpp"

#include "support/process.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace fusec::execute {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

const Type scalar{{Form::scalar, 1, 1}, Precision::f32};
const Type vector3{{Form::vector, 3, 1}, Precision::f64};
const Type symmetric3{{Form::matrix, 3, 3, true}, Precision::f32};
const Type matrix2x3{{Form::matrix, 2, 3}, Precision::f32};

/// A file of format version `major`.0 with the header as it stands.
std::string file(const std::string& header, const std::string& data, int major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(major);
    bytes += '\0';
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
        bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    }
    return bytes + header + data;
}

std::string floats(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i) + 0.5f;
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

/// The message for a file, or "ok".
std::string message(const std::string& bytes, const NumpyExpectation& expected) {
    Diagnostics diagnostics;
    const auto list = parse_numpy(bytes, "A.npy", expected, diagnostics);
    EXPECT_EQ(list.has_value(), !diagnostics.has_errors());
    if (list) {
        return "ok";
    }
    EXPECT_EQ(diagnostics.all().at(0).kind.name, "numpy-file");
    return diagnostics.all().at(0).message;
}

TEST(Numpy, ReadsEveryFormInBothVersions) {
    Diagnostics diagnostics;
    for (const int version : {1, 2}) {
        const auto list =
            parse_numpy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }          \n", floats(12), version), "A.npy",
                {"A", matrix2x3, false}, diagnostics);
        ASSERT_TRUE(list);
        EXPECT_EQ(list->elements, 2u);
        EXPECT_EQ(list->bytes, floats(12));
    }
    const auto scalars = parse_numpy(
        file("{\"shape\":(5,),\"fortran_order\":False,\"descr\":\"<f4\"}", floats(5)), "s.npy", {"s", scalar, false}, diagnostics);
    ASSERT_TRUE(scalars);
    EXPECT_EQ(scalars->elements, 5u);
    const auto uniform =
        parse_numpy(file("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", floats(1)), "mu.npy", {"mu", scalar, true}, diagnostics);
    ASSERT_TRUE(uniform);
    EXPECT_EQ(uniform->elements, 1u);
    const auto packed = parse_numpy(
        file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 6)}", floats(12)), "S.npy", {"S", symmetric3, false}, diagnostics);
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->elements, 2u);
    EXPECT_EQ(packed->bytes, floats(12));
    const auto none =
        parse_numpy(file("{'descr': '<f8', 'fortran_order': False, 'shape': (0L, 3L)}", ""), "v.npy", {"v", vector3, false}, diagnostics);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->elements, 0u);
    EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Numpy, SaysWhereAFileIsWrong) {
    const NumpyExpectation matrices{"A", matrix2x3, false}, mu{"mu", scalar, true};
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }\n";
    EXPECT_EQ(message(file(good, floats(12)), matrices), "ok");
    EXPECT_EQ(message("", matrices), "`A.npy`, byte 0: the file is empty, a NumPy file was expected");
    EXPECT_EQ(message("PK\x03\x04 a zip file", matrices), "`A.npy`, byte 0: no NumPy file: it does not begin with `\\x93NUMPY`");
    EXPECT_EQ(message(file(good, floats(12), 3), matrices), "`A.npy`, byte 6: format version 3.0 found, 1.0 or 2.0 expected");
    EXPECT_EQ(
        message(file(good, "").substr(0, 40), matrices), "`A.npy`, byte 8: the header is said to have 63 bytes, 30 are left in the file");
    EXPECT_EQ(message(file(good, "").substr(0, 9), matrices), "`A.npy`, byte 9: the file ends within the header's length");
    EXPECT_EQ(message(file(good, floats(11)), matrices), "`A.npy`, byte 73: 44 bytes of data found, 2 elements of 24 bytes expected");
    EXPECT_EQ(message(file(good, floats(13)), matrices), "`A.npy`, byte 73: 52 bytes of data found, 2 elements of 24 bytes expected");
    // The header begins at byte 10; descr's value at 10 + 10, fortran_order's at 10 + 34, shape's at 10 + 50.
    EXPECT_EQ(message(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3), }", floats(24)), matrices),
        "`A.npy`, byte 20: components `<f8` found, `<f4` expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2, 3), }", floats(12)), matrices),
        "`A.npy`, byte 20: components `>f4` found, `<f4` expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2, 3), }", floats(12)), matrices),
        "`A.npy`, byte 44: Fortran order found, C order expected");
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2), }", floats(12)), matrices),
        "`A.npy`, byte 60: shape (2, 3, 2) found, (n, 2, 3) expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", floats(6)), matrices),
        "`A.npy`, byte 60: shape (2, 3) found, (n, 2, 3) expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", floats(1)), matrices),
        "`A.npy`, byte 60: shape () found, (n, 2, 3) expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", floats(1)), mu),
        "`A.npy`, byte 60: shape (1,) found, () expected for `mu` (uniform float SCALAR)");
    EXPECT_EQ(message(file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 2, 3), }", floats(12)), matrices),
        "`A.npy`, byte 20: records found, `<f4` expected");
    EXPECT_THAT(
        message(file("{'descr': '<f4', 'shape': (2, 2, 3)}", floats(12)), matrices), HasSubstr("the header has no key `fortran_order`"));
    EXPECT_THAT(message(file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3)}", floats(12)), matrices),
        HasSubstr("byte 27: the key `descr` stands twice"));
    EXPECT_THAT(message(file("{'data': 1}", floats(12)), matrices), HasSubstr("byte 11: the key `data` is unknown"));
    EXPECT_THAT(message(file("{'descr': '<f4", floats(12)), matrices), HasSubstr("a string in the header does not end"));
    EXPECT_THAT(message(file(good + "x", floats(12)), matrices), HasSubstr("more text after the header's dictionary"));
    EXPECT_THAT(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2, 3), }", floats(12)), matrices),
        HasSubstr("a dimension does not fit 64 bits"));
    // n * 24 overflows to exactly the number of bytes present.
    EXPECT_THAT(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693954, 2, 3), }", floats(12)), matrices),
        HasSubstr("48 bytes of data found, 2305843009213693954 elements"));
    // Every prefix of a good file is refused and none crashes.
    const std::string whole = file(good, floats(12));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_NE(message(whole.substr(0, size), matrices), "ok") << size;
    }
}

TEST(Numpy, APackedListHasOneRowOfWordsPerElement) {
    EXPECT_EQ(message(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 3)}", floats(18)), {"S", symmetric3, false}),
        "`A.npy`, byte 60: shape (2, 3, 3) found, (n, 6) expected for `S` (float SYMMETRIC3)");
}

TEST(Numpy, WritesWhatItReads) {
    Diagnostics diagnostics;
    const struct {
        Type type;
        bool uniform;
        std::uint64_t elements;
    } cases[] = {{scalar, false, 3}, {scalar, true, 1}, {vector3, false, 0}, {vector3, true, 1}, {matrix2x3, false, 1000}};
    for (const auto& [type, uniform, elements] : cases) {
        const NumpyList list{elements, std::string(elements * static_cast<std::uint64_t>(type.bytes()), 'z')};
        const std::string bytes = numpy_file(list, type, uniform);
        EXPECT_EQ((bytes.size() - list.bytes.size()) % 64, 0u);
        const auto again = parse_numpy(bytes, "x.npy", {"x", type, uniform}, diagnostics);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->elements, elements);
        EXPECT_EQ(again->bytes, list.bytes);
    }
    // As numpy.save writes it.
    EXPECT_EQ(numpy_file({2, "12345678"}, scalar, false),
        file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" + std::string(60, ' ') + "\n", "12345678"));
}

// Debian's python3-numpy, which the set-up script installs.
TEST(Numpy, ExchangesFilesWithNumpy) {
    const TemporaryFolder folder;
    const std::string script = "import numpy as np\n"
                               "np.save('A.npy', (np.arange(12, dtype='<f4') + 0.5).reshape(2, 2, 3))\n"
                               "np.save('mu.npy', np.float32(0.5))\n"
                               "x = np.load('x.npy')\n"
                               "assert x.shape == (2, 2, 3) and x.dtype == np.float32 and (x == np.load('A.npy')).all()\n";
    std::ofstream(folder.path() / "x.npy", std::ios::binary) << numpy_file({2, floats(12)}, matrix2x3, false);
    const ProcessResult result = run_process({"/usr/bin/python3", "-c", script}, folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.output;
    Diagnostics diagnostics;
    const auto matrices = read_numpy(folder.path() / "A.npy", {"A", matrix2x3, false}, diagnostics);
    ASSERT_TRUE(matrices) << diagnostics.all().at(0).message;
    EXPECT_EQ(matrices->bytes, floats(12));
    EXPECT_TRUE(read_numpy(folder.path() / "mu.npy", {"mu", scalar, true}, diagnostics));
}

TEST(Numpy, TextsOfTheFileArePrintableAndShort) {
    const NumpyExpectation matrices{"A", matrix2x3, false};
    EXPECT_EQ(message(file("{'descr': '\x1b[31m\0<f4'}"s, ""), matrices),
        "`A.npy`, byte 20: components `\\x1b[31m\\x00<f4` found, `<f4` expected for `A` (float MATRIX2x3)");
    EXPECT_EQ(message(file("{'\xff\xfe': 1}", ""), matrices), "`A.npy`, byte 11: the key `\\xff\\xfe` is unknown");
    EXPECT_EQ(message(file("{'descr' \x07", ""), matrices), "`A.npy`, byte 19: `:` expected in the header, `\\x07` found");
    EXPECT_EQ(message(file("{'" + std::string(5000, 'k') + "': 1}", ""), matrices),
        "`A.npy`, byte 11: the key `" + std::string(40, 'k') + "...` is unknown");
    std::string dimensions;
    for (int i = 0; i < 20000; ++i) {
        dimensions += "1,";
    }
    EXPECT_EQ(message(file("{'shape': (" + dimensions + ")}", ""), matrices),
        "`A.npy`, byte 20: shape (1, 1, 1, 1, 1, 1, 1, 1, ... 19992 more) found, (n, 2, 3) expected for `A` (float MATRIX2x3)");
}

/// What reading the file reports, without its folder.
std::string reading(const std::filesystem::path& path) {
    Diagnostics diagnostics;
    const auto list = read_numpy(path, {"A", matrix2x3, false}, diagnostics);
    EXPECT_EQ(list.has_value(), !diagnostics.has_errors());
    if (list) {
        return "ok";
    }
    std::string text = std::string(diagnostics.all().at(0).kind.name) + ": " + diagnostics.all().at(0).message;
    const std::string prefix = path.parent_path().string() + "/";
    const std::size_t at = text.find(prefix);
    return at == std::string::npos ? text : text.erase(at, prefix.size());
}

TEST(Numpy, ReadsTheHeaderBeforeTheData) {
    const TemporaryFolder folder;
    const std::string good = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3)}", "");
    const auto sparse = [&](const std::string& start, std::uint64_t size) { // takes no room on the disk
        std::ofstream(folder.path() / "A.npy", std::ios::binary) << start;
        std::filesystem::resize_file(folder.path() / "A.npy", size);
        return reading(folder.path() / "A.npy");
    };
    const std::uint64_t huge = std::uint64_t{1} << 40U;
    EXPECT_EQ(sparse(good, good.size() + 48), "ok");
    EXPECT_EQ(sparse(good, good.size() + 47),
        "numpy-file: `A.npy`, byte " + std::to_string(good.size()) + ": 47 bytes of data found, 2 elements of 24 bytes expected");
    EXPECT_EQ(sparse(good, huge),
        "numpy-file: `A.npy`, byte " + std::to_string(good.size()) + ": " + std::to_string(huge - good.size()) +
            " bytes of data found, 2 elements of 24 bytes expected");
    EXPECT_EQ(sparse("", huge), "numpy-file: `A.npy`, byte 0: no NumPy file: it does not begin with `\\x93NUMPY`");
    EXPECT_EQ(sparse("\x93NUMPY\x02\x00\x00\x00\x00\x80"s, huge),
        "numpy-file: `A.npy`, byte 8: the header is said to have 2147483648 bytes, the limit is 1048576");
    const std::uint64_t elements = std::uint64_t{1} << 38U; // 6 TiB
    const std::string many = file("{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(elements) + ", 2, 3)}", "");
    EXPECT_THAT(sparse(many, many.size() + elements * 24), HasSubstr("memory-limit: `A.npy` has 6597069766656 bytes, this machine has"));
}

TEST(Numpy, OnlyRegularFilesAreRead) {
    const TemporaryFolder folder;
    EXPECT_EQ(reading("/dev/zero"), "unreadable-file: cannot read `zero`: it is no regular file");
    EXPECT_EQ(reading("/dev/null"), "unreadable-file: cannot read `null`: it is no regular file");
    ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(reading(folder.path() / "pipe"), "unreadable-file: cannot read `pipe`: it is no regular file");
    std::filesystem::create_directory(folder.path() / "folder");
    EXPECT_EQ(reading(folder.path() / "folder"), "unreadable-file: cannot read `folder`: it is a directory");
}

TEST(Numpy, ReportsAFileThatCannotBeRead) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_numpy("/no/such/file.npy", {"A", scalar, false}, diagnostics));
    EXPECT_EQ(diagnostics.all().at(0).kind.name, "unreadable-file");
}

} // namespace
} // namespace fusec::execute
