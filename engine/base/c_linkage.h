/* c_linkage.h - lets .cu files include the C headers. */
#ifndef RK_BASE_C_LINKAGE_H
#define RK_BASE_C_LINKAGE_H

#ifdef __cplusplus
#define RK_C_BEGIN extern "C" {
#define RK_C_END }
#else
#define RK_C_BEGIN
#define RK_C_END
#endif

#endif
