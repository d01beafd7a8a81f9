/* plot.h - a figure is a pair plots/NAME.sql and plots/NAME.gp.
 *
 * The SQL sees the results database read-only, the tables of query.h, the
 * aggregates of sql_stats.h and temp.published. Text before the first line
 *   -- csv: SUFFIX
 * is set-up (temporary views); what follows each such line is written to
 * OUT/data/NAME_SUFFIX.csv. The first one holds what was measured and must not be
 * empty. The script then draws OUT/NAME.png, .svg and .pdf from those files only,
 * so that a figure can be redrawn without the database. The same rows give the
 * same bytes.
 *
 * The script finds these strings set: rk_format (png, svg, pdf), rk_out (the image),
 * rk_data (OUT/data/NAME), rk_plots (the directory of style.gp). */
#ifndef RK_HARNESS_PLOT_H
#define RK_HARNESS_PLOT_H

#include <stdio.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_plot_request {
    const char *db;        /* results database */
    const char *name;      /* "fig08_quality_ttft" */
    const char *plots;     /* directory of NAME.sql, NAME.gp and style.gp */
    const char *out;       /* directory of the images; made when missing */
    const char *published; /* file or directory of published values; "" none */
    const char *session;   /* NULL: the newest, as in query.h */
    const char *gnuplot;   /* program; NULL: gnuplot */
} rk_plot_request;

/* Writes the data files and the images; lists the images on `log` (NULL: no).
 * Errors name the file and the query; rk_gnuplot_run's pass through. */
rk_status rk_plot_draw(const rk_plot_request *request, FILE *log, rk_error *err);

/* The data files alone. */
rk_status rk_plot_data(const rk_plot_request *request, rk_error *err);

RK_C_END

#endif
