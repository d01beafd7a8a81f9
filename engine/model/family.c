/* family.c - checks that several families share. */
#include "model/family.h"

rk_status rk_family_no_window(const json_t *config, const char *path, rk_error *err)
{
    const json_t *v = json_object_get(config, "sliding_window");
    if (!v || json_is_null(v))
        return RK_OK;
    int64_t window = 0;
    RK_TRY(rk_json_int(config, "sliding_window", path, 0, 0, INT64_MAX, &window, err));
    return rk_fail(err, RK_E_UNSUPPORTED, "%s: key 'sliding_window': expected null, got %lld", path,
                   (long long)window);
}
