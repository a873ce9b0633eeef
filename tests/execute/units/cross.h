/* SPDX-License-Identifier: Apache-2.0 */
/* cross: written by hand in the style of generated text, for tests of the executors */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cross_arguments {
    const float* a;  /* VECTOR3 */
    const float* b;  /* VECTOR3 */
    const float* mu; /* SCALAR, one for all elements */
    float* c;        /* VECTOR3 */
    float* s;        /* SCALAR */
};

size_t cross_workspace_bytes(size_t n);
int cross_launch(const struct cross_arguments* arguments, size_t n, void* workspace, size_t workspace_bytes, void* stream);
int cross_launch_range(
    const struct cross_arguments* arguments, size_t first, size_t count, void* workspace, size_t workspace_bytes, void* stream);

#ifdef __cplusplus
}
#endif
