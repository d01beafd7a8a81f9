#ifndef RK_HARNESS_AXES_H
#define RK_HARNESS_AXES_H
typedef struct rk_point rk_point;
#endif
