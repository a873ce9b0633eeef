# Writes OUTPUT: the text of the HEADERS in FOLDER as C++ string literals, in the order given.
set(text "// Made by embed_runtime.cmake from elementary-lib/runtime/fusec.\n#include \"codegen/embedding.hpp\"\n\nnamespace fusec::codegen {\n\nconst std::vector<RuntimeHeader>& runtime_headers() {\n    static const std::vector<RuntimeHeader> headers = {\n")
foreach(header IN LISTS HEADERS)
    file(READ "${FOLDER}/${header}" content)
    string(APPEND text "{\"${header}\", R\"fusec_text(${content})fusec_text\"},\n")
endforeach()
string(APPEND text "    };\n    return headers;\n}\n\n} // namespace fusec::codegen\n")
file(WRITE "${OUTPUT}" "${text}")
