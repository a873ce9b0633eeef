// SPDX-License-Identifier: Apache-2.0
// Names of the headers that generated text includes: of the C library, of CUDA and of what these include, under glibc 2.36 and CUDA 13.0.
// A test compares with those that are installed.
#include "frontend/identifiers.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <sstream>

namespace fusec::frontend {

namespace {

/// Macros without parameters.
constexpr const char* macros = R"(
ADJ_ESTERROR ADJ_FREQUENCY ADJ_MAXERROR ADJ_MICRO ADJ_NANO ADJ_OFFSET ADJ_OFFSET_SINGLESHOT ADJ_OFFSET_SS_READ ADJ_SETOFFSET ADJ_STATUS
ADJ_TAI ADJ_TICK ADJ_TIMECONST AIO_PRIO_DELTA_MAX BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH
BYTE_ORDER CHARCLASS_NAME_MAX CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM CLOCK_MONOTONIC
CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_REALTIME_ALARM CLOCK_REALTIME_COARSE CLOCK_TAI
CLOCK_THREAD_CPUTIME_ID COLL_WEIGHTS_MAX CUDARTAPI_CDECL CUDART_DEVICE CUDA_IPC_HANDLE_SIZE CU_UUID_HAS_BEEN_DEFINED DELAYTIMER_MAX
EXIT_FAILURE EXIT_SUCCESS EXPR_NEST_MAX FD_SETSIZE FILENAME_MAX FOPEN_MAX FP_FAST_FMA FP_FAST_FMAF FP_ILOGB0 FP_ILOGBNAN FP_INT_DOWNWARD
FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN HOST_NAME_MAX HUGE_VALL HUGE_VAL_F128
HUGE_VAL_F32 HUGE_VAL_F32X HUGE_VAL_F64 HUGE_VAL_F64X INT16_MIN INT16_WIDTH INT32_MIN INT32_WIDTH INT64_MIN INT64_WIDTH INT8_MIN
INT8_WIDTH INTMAX_MIN INTMAX_WIDTH INTPTR_MIN INTPTR_WIDTH INT_FAST16_MAX INT_FAST16_MIN INT_FAST16_WIDTH INT_FAST32_MAX INT_FAST32_MIN
INT_FAST32_WIDTH INT_FAST64_MAX INT_FAST64_MIN INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN INT_FAST8_WIDTH INT_LEAST16_MAX
INT_LEAST16_MIN INT_LEAST16_WIDTH INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST32_WIDTH INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST64_WIDTH
INT_LEAST8_MAX INT_LEAST8_MIN INT_LEAST8_WIDTH INT_WIDTH IOV_MAX LINE_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LLONG_WIDTH LOGIN_NAME_MAX
LONG_BIT LONG_LONG_MAX LONG_LONG_MIN LONG_MIN LONG_WIDTH L_ctermid L_cuserid L_tmpnam MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX
MOD_CLKA MOD_CLKB MOD_ESTERROR MOD_FREQUENCY MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX
M_1_PIf M_1_PIf128 M_1_PIf32 M_1_PIf32x M_1_PIf64 M_1_PIf64x M_1_PIl M_2_PIf M_2_PIf128 M_2_PIf32 M_2_PIf32x M_2_PIf64 M_2_PIf64x
M_2_PIl M_2_SQRTPIf M_2_SQRTPIf128 M_2_SQRTPIf32 M_2_SQRTPIf32x M_2_SQRTPIf64 M_2_SQRTPIf64x M_2_SQRTPIl M_Ef M_Ef128 M_Ef32 M_Ef32x
M_Ef64 M_Ef64x M_El M_LN10f M_LN10f128 M_LN10f32 M_LN10f32x M_LN10f64 M_LN10f64x M_LN10l M_LN2f M_LN2f128 M_LN2f32 M_LN2f32x M_LN2f64
M_LN2f64x M_LN2l M_LOG10Ef M_LOG10Ef128 M_LOG10Ef32 M_LOG10Ef32x M_LOG10Ef64 M_LOG10Ef64x M_LOG10El M_LOG2Ef M_LOG2Ef128 M_LOG2Ef32
M_LOG2Ef32x M_LOG2Ef64 M_LOG2Ef64x M_LOG2El M_PI_2f M_PI_2f128 M_PI_2f32 M_PI_2f32x M_PI_2f64 M_PI_2f64x M_PI_2l M_PI_4f M_PI_4f128
M_PI_4f32 M_PI_4f32x M_PI_4f64 M_PI_4f64x M_PI_4l M_PIf M_PIf128 M_PIf32 M_PIf32x M_PIf64 M_PIf64x M_PIl M_SQRT1_2f M_SQRT1_2f128
M_SQRT1_2f32 M_SQRT1_2f32x M_SQRT1_2f64 M_SQRT1_2f64x M_SQRT1_2l M_SQRT2f M_SQRT2f128 M_SQRT2f32 M_SQRT2f32x M_SQRT2f64 M_SQRT2f64x
M_SQRT2l NAME_MAX NFDBITS NGROUPS_MAX NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX NL_TEXTMAX NV_ANY_TARGET NV_HAS_FEATURE_SM_100a
NV_HAS_FEATURE_SM_101a NV_HAS_FEATURE_SM_90a NV_IS_DEVICE NV_IS_EXACTLY_SM_100 NV_IS_EXACTLY_SM_101 NV_IS_EXACTLY_SM_103
NV_IS_EXACTLY_SM_110 NV_IS_EXACTLY_SM_120 NV_IS_EXACTLY_SM_35 NV_IS_EXACTLY_SM_37 NV_IS_EXACTLY_SM_50 NV_IS_EXACTLY_SM_52
NV_IS_EXACTLY_SM_53 NV_IS_EXACTLY_SM_60 NV_IS_EXACTLY_SM_61 NV_IS_EXACTLY_SM_62 NV_IS_EXACTLY_SM_70 NV_IS_EXACTLY_SM_72
NV_IS_EXACTLY_SM_75 NV_IS_EXACTLY_SM_80 NV_IS_EXACTLY_SM_86 NV_IS_EXACTLY_SM_87 NV_IS_EXACTLY_SM_89 NV_IS_EXACTLY_SM_90 NV_IS_HOST
NV_NO_TARGET NV_PROVIDES_SM_100 NV_PROVIDES_SM_101 NV_PROVIDES_SM_103 NV_PROVIDES_SM_110 NV_PROVIDES_SM_120 NV_PROVIDES_SM_35
NV_PROVIDES_SM_37 NV_PROVIDES_SM_50 NV_PROVIDES_SM_52 NV_PROVIDES_SM_53 NV_PROVIDES_SM_60 NV_PROVIDES_SM_61 NV_PROVIDES_SM_62
NV_PROVIDES_SM_70 NV_PROVIDES_SM_72 NV_PROVIDES_SM_75 NV_PROVIDES_SM_80 NV_PROVIDES_SM_86 NV_PROVIDES_SM_87 NV_PROVIDES_SM_89
NV_PROVIDES_SM_90 NZERO PATH_MAX PDP_ENDIAN PIPE_BUF PTHREAD_DESTRUCTOR_ITERATIONS PTHREAD_KEYS_MAX PTHREAD_STACK_MIN PTRDIFF_MIN
PTRDIFF_WIDTH P_tmpdir RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SEEK_CUR
SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_VALUE_MAX SHRT_MAX SHRT_MIN SHRT_WIDTH SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH
SIZE_WIDTH SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64 SNANF64X SNANL SSIZE_MAX STA_CLK STA_CLOCKERR STA_DEL STA_FLL STA_FREQHOLD
STA_INS STA_MODE STA_NANO STA_PLL STA_PPSERROR STA_PPSFREQ STA_PPSJITTER STA_PPSSIGNAL STA_PPSTIME STA_PPSWANDER STA_RONLY STA_UNSYNC
TIMER_ABSTIME TIME_UTC TMP_MAX TTY_NAME_MAX UCHAR_MAX UCHAR_WIDTH UINT16_WIDTH UINT32_WIDTH UINT64_WIDTH UINT8_WIDTH UINTMAX_WIDTH
UINTPTR_WIDTH UINT_FAST16_MAX UINT_FAST16_WIDTH UINT_FAST32_MAX UINT_FAST32_WIDTH UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX
UINT_FAST8_WIDTH UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX UINT_LEAST32_WIDTH UINT_LEAST64_MAX UINT_LEAST64_WIDTH
UINT_LEAST8_MAX UINT_LEAST8_WIDTH UINT_WIDTH ULLONG_MAX ULLONG_WIDTH ULONG_LONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCHAR_MAX
WCHAR_MIN WCHAR_WIDTH WCONTINUED WEXITED WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WNOWAIT WORD_BIT WSTOPPED WUNTRACED XATTR_LIST_MAX
XATTR_NAME_MAX XATTR_SIZE_MAX cudaArrayColorAttachment cudaArrayCubemap cudaArrayDefault cudaArrayDeferredMapping cudaArrayLayered
cudaArraySparse cudaArraySparsePropertiesSingleMipTail cudaArraySurfaceLoadStore cudaArrayTextureGather cudaCpuDeviceId
cudaDeviceBlockingSync cudaDeviceLmemResizeToMax cudaDeviceMapHost cudaDeviceMask cudaDeviceScheduleAuto cudaDeviceScheduleBlockingSync
cudaDeviceScheduleMask cudaDeviceScheduleSpin cudaDeviceScheduleYield cudaDeviceSyncMemops cudaEventBlockingSync cudaEventDefault
cudaEventDisableTiming cudaEventInterprocess cudaEventRecordDefault cudaEventRecordExternal cudaEventWaitDefault cudaEventWaitExternal
cudaExternalMemoryDedicated cudaExternalSemaphoreSignalSkipNvSciBufMemSync cudaExternalSemaphoreWaitSkipNvSciBufMemSync
cudaGraphKernelNodePortDefault cudaGraphKernelNodePortLaunchCompletion cudaGraphKernelNodePortProgrammatic cudaHostAllocDefault
cudaHostAllocMapped cudaHostAllocPortable cudaHostAllocWriteCombined cudaHostRegisterDefault cudaHostRegisterIoMemory
cudaHostRegisterMapped cudaHostRegisterPortable cudaHostRegisterReadOnly cudaInitDeviceFlagsAreValid cudaInvalidDeviceId
cudaIpcMemLazyEnablePeerAccess cudaKernelNodeAttrID cudaKernelNodeAttrValue cudaKernelNodeAttributeAccessPolicyWindow
cudaKernelNodeAttributeClusterDimension cudaKernelNodeAttributeClusterSchedulingPolicyPreference cudaKernelNodeAttributeCooperative
cudaKernelNodeAttributeDeviceUpdatableKernelNode cudaKernelNodeAttributeMemSyncDomain cudaKernelNodeAttributeMemSyncDomainMap
cudaKernelNodeAttributeNvlinkUtilCentricScheduling cudaKernelNodeAttributePreferredSharedMemoryCarveout cudaKernelNodeAttributePriority
cudaMemAttachGlobal cudaMemAttachHost cudaMemAttachSingle cudaMemPoolCreateUsageHwDecompress cudaNvSciSyncAttrSignal
cudaNvSciSyncAttrWait cudaOccupancyDefault cudaOccupancyDisableCachingOverride cudaPeerAccessDefault cudaStreamAttrID
cudaStreamAttrValue cudaStreamAttributeAccessPolicyWindow cudaStreamAttributeMemSyncDomain cudaStreamAttributeMemSyncDomainMap
cudaStreamAttributePriority cudaStreamAttributeSynchronizationPolicy cudaStreamDefault cudaStreamFireAndForget
cudaStreamGraphFireAndForget cudaStreamGraphFireAndForgetAsSibling cudaStreamGraphTailLaunch cudaStreamLegacy cudaStreamNonBlocking
cudaStreamPerThread cudaStreamTailLaunch cudaSurfaceType1D cudaSurfaceType1DLayered cudaSurfaceType2D cudaSurfaceType2DLayered
cudaSurfaceType3D cudaSurfaceTypeCubemap cudaSurfaceTypeCubemapLayered cudaTextureType1D cudaTextureType1DLayered cudaTextureType2D
cudaTextureType2DLayered cudaTextureType3D cudaTextureTypeCubemap cudaTextureTypeCubemapLayered math_errhandling
)";

/// Functions, variables and types of the global namespace, and the namespaces of CUDA's libraries. Those of a name and a suffix that says
/// a precision (`sinf`, `sinl`) are left out.
constexpr const char* globals = R"(
CUDA_C_16BF CUDA_C_16F CUDA_C_16I CUDA_C_16U CUDA_C_32F CUDA_C_32I CUDA_C_32U CUDA_C_4I CUDA_C_4U CUDA_C_64F CUDA_C_64I CUDA_C_64U
CUDA_C_8I CUDA_C_8U CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC CUDA_EMULATION_MANTISSA_CONTROL_FIXED
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_INFINITY CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE CUDA_EMULATION_STRATEGY_DEFAULT CUDA_EMULATION_STRATEGY_EAGER
CUDA_EMULATION_STRATEGY_PERFORMANT CUDA_R_16BF CUDA_R_16F CUDA_R_16I CUDA_R_16U CUDA_R_32F CUDA_R_32I CUDA_R_32U CUDA_R_4F_E2M1
CUDA_R_4I CUDA_R_4U CUDA_R_64F CUDA_R_64I CUDA_R_64U CUDA_R_6F_E2M3 CUDA_R_6F_E3M2 CUDA_R_8F_E4M3 CUDA_R_8F_E5M2 CUDA_R_8F_UE4M3
CUDA_R_8F_UE8M0 CUDA_R_8I CUDA_R_8U CUDAlogLevel_enum CUevent_st CUexternalMemory_st CUexternalSemaphore_st CUfunc_st
CUgraphDeviceUpdatableNode_st CUgraphExec_st CUgraphNode_st CUgraph_st CUkern_st CUlib_st CUlogsCallbackEntry_st CUmemPoolHandle_st
CUstream_st CUuserObject_st CUuuid CUuuid_st FILE MAJOR_VERSION MINOR_VERSION PATCH_LEVEL a64l abort abs access acos acosh alarm
aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asin asinh asprintf at_quick_exit atan atan2 atanh atexit atof atoi
atol basename bcmp bcopy blkcnt64_t blkcnt_t blksize_t brk bsearch bzero caddr_t calloc canonicalize canonicalize_file_name cbrt ceil
char1 char2 char3 char4 chdir chown clearenv clearerr clearerr_unlocked clock clock_t clockid_t close comparison_fn_t confstr
cookie_close_function_t cookie_io_functions_t cookie_read_function_t cookie_seek_function_t cookie_write_function_t cooperative_groups
copysign cos cosh cospi ctermid ctime cub cudalibraryHostUniversalFunctionAndDataTable cuserid daddl daddr_t daylight ddivl dev_t dfmal
difftime div div_t dmull double1 double4_16a double4_32a double_t dprintf drand48 drand48_data drand48_r drem dsqrtl dsubl dup dup2 ecvt
ecvt_r encrypt environ erand48 erand48_r erf erfc erfcinv erfcx erfinv execl execv exit exp exp10 exp2 explicit_bzero expm1 f32addf128
f32addf32x f32addf64 f32addf64x f32divf128 f32divf32x f32divf64 f32divf64x f32fmaf128 f32fmaf32x f32fmaf64 f32fmaf64x f32mulf128
f32mulf32x f32mulf64 f32mulf64x f32sqrtf128 f32sqrtf32x f32sqrtf64 f32sqrtf64x f32subf128 f32subf32x f32subf64 f32subf64x f32xaddf128
f32xaddf64 f32xaddf64x f32xdivf128 f32xdivf64 f32xdivf64x f32xfmaf128 f32xfmaf64 f32xfmaf64x f32xmulf128 f32xmulf64 f32xmulf64x
f32xsqrtf128 f32xsqrtf64 f32xsqrtf64x f32xsubf128 f32xsubf64 f32xsubf64x f64addf128 f64addf64x f64divf128 f64divf64x f64fmaf128
f64fmaf64x f64mulf128 f64mulf64x f64sqrtf128 f64sqrtf64x f64subf128 f64subf64x f64xaddf128 f64xdivf128 f64xfmaf128 f64xmulf128
f64xsqrtf128 f64xsubf128 fabs fadd fclose fcloseall fcvt fcvt_r fd_mask fd_set fdatasync fdim fdiv fdopen feof feof_unlocked ferror
ferror_unlocked fflush fflush_unlocked ffma ffs ffsll fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked
finite float1 float_t flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum
fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul fopen fopen64 fopencookie fork fpos64_t fpos_t fprintf fputc fputc_unlocked
fputs fputs_unlocked fread fread_unlocked free freopen freopen64 frexp fromfp fromfpx fsblkcnt64_t fsblkcnt_t fscanf fseek fseeko
fseeko64 fsetpos fsetpos64 fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsub fsync ftell ftello ftello64 ftrylockfile funlockfile fwrite
fwrite_unlocked gamma gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline getloadavg getpayload getpid getpt gets
getsubopt getw gid_t gmtime grantpt hypot id_t ilogb index initstate initstate_r ino64_t ino_t int1 int_fast16_t int_fast32_t
int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t intmax_t isatty iscanonical iseqsig isgreaterequal
isinff isinfl islessequal islessgreater isnanf isnanl issignaling isunordered iszero j0 j1 jn jrand48 jrand48_r key_t kill l64a labs
lcong48 lcong48_r ldexp ldiv ldiv_t lerp lgamma lgamma_r lgammaf128_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r
lgammal_r libraryPropertyType libraryPropertyType_t link llabs lldiv lldiv_t llogb llrint llround locale_t localtime loff_t log log10
log1p log2 logb long1 long2 long3 long4 long4_16a long4_32a longjmp longlong1 longlong2 longlong3 longlong4 longlong4_16a longlong4_32a
lrand48 lrand48_r lrint lround lseek malloc max max_align_t mblen mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove
mempcpy memrchr memset min mkdtemp mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mode_t
modf mrand48 mrand48_r nan nearbyint nextafter nextdown nexttoward nextup nice nlink_t norm norm3d norm4d normcdf normcdfinv nrand48
nrand48_r nullptr_t nv nvcuda obstack obstack_printf obstack_vprintf off64_t off_t on_exit open_memstream optarg opterr optind optopt
pause pclose perror pid_t pipe popen posix_memalign posix_openpt pow printf pselect pthread_attr_t pthread_barrier_t
pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t pthread_mutex_t pthread_mutexattr_t pthread_once_t
pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t pthread_t ptsname ptsname_r putc putc_unlocked putchar putchar_unlocked putenv
puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quad_t quick_exit raise rand rand_r random random_data random_r rawmemchr
rcbrt read realloc reallocarray realpath register_t remainder remove remquo rename renameat renameat2 rewind rhypot rindex rint rnorm
rnorm3d rnorm4d round roundeven rpmatch rsqrt scalb scalbln scalbn scanf secure_getenv seed48 seed48_r select setbuf setbuffer setenv
setlinebuf setpayload setpayloadsig setstate setstate_r setvbuf short1 short2 short3 short4 sigabbrev_np sigdescr_np signal signgam
significand sigset_t sin sincos sincospi sinh sinpi sleep snprintf sprintf sqrt srand srand48 srand48_r srandom srandom_r sscanf stime
stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strerror
strerror_l strerror_r strerrordesc_np strerrorname_np strfromd strfromf strfromf128 strfromf32 strfromf32x strfromf64 strfromf64x
strfroml strfry strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr
strtod strtod_l strtof strtof128 strtof128_l strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l
strtof_l strtok strtok_r strtol strtol_l strtold strtold_l strtoll_l strtoq strtoul strtoul_l strtoull_l strtouq strverscmp strxfrm
strxfrm_l suseconds_t swab symlink sync syscall system tan tanh tempnam tgamma thrust time time_t timer_t timespec timeval timezone
tmpfile tmpfile64 tmpnam tmpnam_r totalorder totalordermag trunc truncate tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t
u_int8_t u_long u_quad_t u_short uchar1 uchar2 uchar3 uchar4 ufromfp ufromfpx uid_t uint uint1 uint_fast16_t uint_fast32_t uint_fast64_t
uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t uintmax_t ulong ulong1 ulong2 ulong3 ulong4 ulong4_16a
ulong4_32a ulonglong1 ulonglong2 ulonglong3 ulonglong4 ulonglong4_16a ulonglong4_32a ungetc unlink unlockpt unsetenv useconds_t ushort
ushort1 ushort2 ushort3 ushort4 usleep va_list valloc vasprintf vdprintf vfork vfprintf vfscanf vprintf vscanf vsnprintf vsprintf
vsscanf wait wcstombs wctomb write y0 y1 yn
)";

std::set<std::string, std::less<>> words_of(const char* text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

} // namespace

bool is_header_macro(std::string_view word) {
    static const std::set<std::string, std::less<>> names = words_of(macros);
    return names.contains(word);
}

bool is_global_name(std::string_view word) {
    static const std::set<std::string, std::less<>> names = words_of(globals);
    const bool of_cuda = word.starts_with("make_") || (word.starts_with("cuda") && word.size() > 4 && word[4] >= 'A' && word[4] <= 'Z');
    return of_cuda || names.contains(word) ||
        std::ranges::any_of(std::to_array<std::string_view>({"f", "l", "f32", "f64", "f128", "f32x", "f64x"}),
            [&](std::string_view suffix) { return word.ends_with(suffix) && names.contains(word.substr(0, word.size() - suffix.size())); });
}

} // namespace fusec::frontend
