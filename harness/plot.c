/* plot.c - see plot.h. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <csv.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "gnuplot.h"
#include "published.h"
#include "query.h"

enum { SQL_BYTES = 1 << 20, PATH_TEXT = 1024, SUFFIX_TEXT = 64 };

static const char directive[] = "-- csv:";

/* ---- one query to one file ---- */

static void put_text(FILE *out, const char *text)
{
    if (text[strcspn(text, ",\"\n\r")])
        csv_fwrite(out, text, strlen(text));
    else
        fputs(text, out);
}

static void put_cell(FILE *out, sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        break;
    case SQLITE_FLOAT:
        fprintf(out, "%.9g", sqlite3_column_double(s, column));
        break;
    default:
        put_text(out, (const char *)sqlite3_column_text(s, column));
    }
}

/* Runs one statement; rows of a SELECT go to `out`, with a line of names. */
static rk_status run_statement(sqlite3 *db, sqlite3_stmt *s, FILE *out, const char *what,
                               int64_t *rows, rk_error *err)
{
    int columns = sqlite3_column_count(s), rc;
    for (int c = 0; out && c < columns; c++) {
        fputs(c ? "," : "", out);
        put_text(out, sqlite3_column_name(s, c));
    }
    if (out && columns)
        fputc('\n', out);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int c = 0; out && c < columns; c++) {
            fputs(c ? "," : "", out);
            put_cell(out, s, c);
        }
        if (out)
            fputc('\n', out);
        ++*rows;
    }
    if (rc != SQLITE_DONE)
        return rk_fail(err, RK_E_USAGE, "%s: %s", what, sqlite3_errmsg(db));
    return RK_OK;
}

static rk_status run_block(sqlite3 *db, const char *sql, const char *end, FILE *out,
                           const char *what, int64_t *rows, rk_error *err)
{
    *rows = 0;
    while (sql < end) {
        sqlite3_stmt *s = NULL;
        const char *rest = NULL;
        if (sqlite3_prepare_v2(db, sql, (int)(end - sql), &s, &rest) != SQLITE_OK)
            return rk_fail(err, RK_E_USAGE, "%s: %s", what, sqlite3_errmsg(db));
        sql = rest;
        if (!s) /* blanks and comments */
            continue;
        rk_status status = run_statement(db, s, out, what, rows, err);
        sqlite3_finalize(s);
        RK_TRY(status);
    }
    return RK_OK;
}

/* Written beside its place and moved there, so a failure leaves the old file. */
static rk_status write_block(sqlite3 *db, const char *sql, const char *end, const char *path,
                             const char *what, int64_t *rows, rk_error *err)
{
    char part[PATH_TEXT];
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return rk_fail(err, RK_E_USAGE, "the path %s is too long", path);
    FILE *out = fopen(part, "w");
    if (!out)
        return rk_fail(err, RK_E_IO, "cannot write %s: %s", part, strerror(errno));
    rk_status status = run_block(db, sql, end, out, what, rows, err);
    int bad = ferror(out);
    if ((fclose(out) != 0 || bad) && status == RK_OK)
        status = rk_fail(err, RK_E_IO, "cannot write %s: %s", part, strerror(errno));
    if (status == RK_OK && rename(part, path) != 0)
        status = rk_fail(err, RK_E_IO, "cannot move %s: %s", part, strerror(errno));
    if (status != RK_OK)
        remove(part);
    return status;
}

/* ---- the blocks of a file ---- */

/* The next line that begins with the directive; NULL: none. */
static const char *next_directive(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, directive, sizeof directive - 1))
            return line;
    return NULL;
}

static rk_status suffix_of(const char *line, const char *file, char suffix[SUFFIX_TEXT],
                           rk_error *err)
{
    const char *from = line + sizeof directive - 1;
    from += strspn(from, " ");
    size_t n = strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= SUFFIX_TEXT || !strchr(" \r\n", from[n]))
        return rk_fail(err, RK_E_FORMAT, "%s: expected '-- csv: name' (a-z 0-9 _), got '%.40s'",
                       file, line);
    snprintf(suffix, SUFFIX_TEXT, "%.*s", (int)n, from);
    return RK_OK;
}

static rk_status write_blocks(const rk_plot_request *r, sqlite3 *db, const char *file,
                              const char *sql, rk_error *err)
{
    const char *line = next_directive(sql);
    int64_t rows;
    if (!line)
        return rk_fail(err, RK_E_FORMAT, "%s: has no line '-- csv: name'", file);
    RK_TRY(run_block(db, sql, line, NULL, file, &rows, err));
    for (int first = 1; line; first = 0) {
        char suffix[SUFFIX_TEXT], path[PATH_TEXT], what[PATH_TEXT];
        RK_TRY(suffix_of(line, file, suffix, err));
        const char *body = strchr(line, '\n'), *next = body ? next_directive(body + 1) : NULL;
        const char *end = next ? next : line + strlen(line);
        if ((size_t)snprintf(path, sizeof path, "%s/data/%s_%s.csv", r->out, r->name, suffix) >=
                sizeof path ||
            (size_t)snprintf(what, sizeof what, "%s, query '%s'", file, suffix) >= sizeof what)
            return rk_fail(err, RK_E_USAGE, "the path of %s is too long", suffix);
        RK_TRY(write_block(db, body ? body : end, end, path, what, &rows, err));
        if (first && rows == 0)
            return rk_fail(err, RK_E_USAGE, "%s: nothing measured yet (query '%s' gives no rows)",
                           r->name, suffix);
        line = next;
    }
    return RK_OK;
}

/* ---- */

static rk_status make_directory(const char *path, rk_error *err)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return rk_fail(err, RK_E_IO, "cannot make the directory %s: %s", path, strerror(errno));
    return RK_OK;
}

static rk_status check_name(const char *name, rk_error *err)
{
    if (!name[0] || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-")])
        return rk_fail(err, RK_E_USAGE, "plot: '%s' is no figure name (letters, digits, _ and -)",
                       name);
    return RK_OK;
}

/* gnuplot reads 'text' literally but for quotes, which it doubles. */
static rk_status check_path(const char *path, rk_error *err)
{
    if (strpbrk(path, "'\n"))
        return rk_fail(err, RK_E_USAGE, "plot: quotes and line ends are not allowed in the path %s",
                       path);
    return RK_OK;
}

rk_status rk_plot_data(const rk_plot_request *r, rk_error *err)
{
    char file[PATH_TEXT], directory[PATH_TEXT];
    rk_query *q = NULL;
    rk_query_filter filter = {.session = r->session};
    RK_TRY(check_name(r->name, err));
    if ((size_t)snprintf(file, sizeof file, "%s/%s.sql", r->plots, r->name) >= sizeof file ||
        (size_t)snprintf(directory, sizeof directory, "%s/data", r->out) >= sizeof directory)
        return rk_fail(err, RK_E_USAGE, "plot: the paths are too long");
    RK_TRY(rk_query_open(&q, r->db, &filter, err));
    rk_arena *arena = rk_query_arena(q);
    rk_published published = {0};
    char *sql = NULL;
    size_t n;
    rk_status status = rk_file_read(file, SQL_BYTES, arena, &sql, &n, err);
    if (status == RK_OK && r->published[0])
        status = rk_published_read(r->published, arena, &published, err);
    if (status == RK_OK)
        status = rk_published_store(&published, rk_query_handle(q), "temp", err);
    if (status == RK_OK)
        status = make_directory(r->out, err);
    if (status == RK_OK)
        status = make_directory(directory, err);
    if (status == RK_OK)
        status = write_blocks(r, rk_query_handle(q), file, sql, err);
    rk_query_close(q);
    return status;
}

static rk_status draw_format(const rk_plot_request *r, const char *format, FILE *log, rk_error *err)
{
    char setup[4 * PATH_TEXT], script[PATH_TEXT], image[PATH_TEXT];
    if ((size_t)snprintf(script, sizeof script, "%s/%s.gp", r->plots, r->name) >= sizeof script ||
        (size_t)snprintf(image, sizeof image, "%s/%s.%s", r->out, r->name, format) >=
            sizeof image ||
        (size_t)snprintf(setup, sizeof setup,
                         "rk_format='%s'; rk_out='%s'; rk_data='%s/data/%s'; rk_plots='%s'", format,
                         image, r->out, r->name, r->plots) >= sizeof setup)
        return rk_fail(err, RK_E_USAGE, "plot: the paths are too long");
    RK_TRY(rk_gnuplot_run(r->gnuplot ? r->gnuplot : "gnuplot", setup, script, err));
    if (!strcmp(format, "pdf"))
        RK_TRY(rk_gnuplot_undate_pdf(image, err));
    if (log)
        fprintf(log, "%s\n", image);
    return RK_OK;
}

rk_status rk_plot_draw(const rk_plot_request *r, FILE *log, rk_error *err)
{
    static const char *const formats[] = {"png", "svg", "pdf"};
    RK_TRY(check_path(r->plots, err));
    RK_TRY(check_path(r->out, err));
    RK_TRY(rk_plot_data(r, err));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        RK_TRY(draw_format(r, formats[i], log, err));
    return RK_OK;
}
