#define _GNU_SOURCE
/* fuzz_ledger.c - libFuzzer target: any bytes as a file of the ledger. The first
 * byte chooses the table. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rk_results_db *open_once(void)
{
    static rk_results_db *db; /* the fuzzer calls from one thread */
    char path[] = "/tmp/fuzz-ledger-XXXXXX";
    rk_error err;
    if (db)
        return db;
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    close(fd);
    if (rk_results_open(&db, path, RK_RESULTS_WRITE, &err) != RK_OK ||
        rk_results_exec(db, "PRAGMA foreign_keys=OFF", "fuzzing", &err) != RK_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return db;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const tables[] = {"attempt", "request", "model", "cell", "experiment"};
    rk_results_db *db = open_once();
    rk_error err;
    int64_t rows;
    if (!size || rk_ledger_stage(db, &err) != RK_OK)
        return 0;
    rk_ledger_load(db, tables[data[0] % 5], (const char *)data + 1, size - 1, "fuzz.csv", &rows,
                   &err);
    rk_ledger_unstage(db);
    return 0;
}
