/* select.c - see select.h; resolution is the backends' (backend/resolve.c). */
#include "select.h"

rk_select rk_select_all(int32_t domain)
{
    return (rk_select){.kind = RK_SELECT_ALL, .domain = domain};
}

int rk_select_is_all(const rk_select *s)
{
    return s->kind == RK_SELECT_ALL && s->domain == RK_DOMAIN_PROMPT && s->from <= 0 && s->to == 0;
}

uint32_t rk_select_signals(const rk_select *s)
{
    uint32_t bits = 0;
    if (s->kind == RK_SELECT_TOP_COUNT || s->kind == RK_SELECT_TOP_MASS)
        bits |= 1u << s->signal;
    for (int32_t i = 0; i < s->children; i++)
        bits |= rk_select_signals(&s->child[i]);
    return bits;
}
