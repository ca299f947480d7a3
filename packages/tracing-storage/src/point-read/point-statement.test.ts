import { describe, expect, test } from "vitest";
import { pointStatementOf } from "./point-statement.ts";

// Statements of the ClickHouse engine of storage, for one trace and for two.
const ofOne = String.raw`SELECT format, service, resource_text, scope_text, trace_id, span_id, parent_span_id, trace_state, flags, name, kind, start, duration, status, status_message, attribute_text, event_text, span_details FROM tracing.spans PREWHERE trace_id = '\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef' WHERE tenant = {tenant:String} AND indexHint((received, toStartOfMinute(start)) IN (SELECT received, minute FROM tracing.trace_minutes WHERE trace_id = '\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef')) SETTINGS max_threads = 1, ignore_data_skipping_indices = 'start_index', use_uncompressed_cache = 1, merge_tree_max_rows_to_use_cache = 262144, output_format_parallel_formatting = 0 FORMAT RowBinary`;
const ofTwo = String.raw`SELECT format, service, resource_text, scope_text, trace_id, span_id, parent_span_id, trace_state, flags, name, kind, start, duration, status, status_message, attribute_text, event_text, span_details FROM tracing.spans PREWHERE trace_id IN ('\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef', '\xfe\xdc\xba\x98\x76\x54\x32\x10\xfe\xdc\xba\x98\x76\x54\x32\x10') WHERE tenant = {tenant:String} AND indexHint((received, toStartOfMinute(start)) IN (SELECT received, minute FROM tracing.trace_minutes WHERE trace_id IN ('\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef', '\xfe\xdc\xba\x98\x76\x54\x32\x10\xfe\xdc\xba\x98\x76\x54\x32\x10'))) SETTINGS ignore_data_skipping_indices = 'start_index', use_uncompressed_cache = 1, merge_tree_max_rows_to_use_cache = 262144, output_format_parallel_formatting = 0 FORMAT RowBinary`;

const first = "0123456789abcdef0123456789abcdef";
const second = "fedcba9876543210fedcba9876543210";
const bytesOf = (id: string) => `'${id.replaceAll(/../g, "\\x$&")}'`;

/** Settings of the request that this engine sends. */
const requestSettings = [
  "max_execution_time",
  "readonly",
  "cancel_http_readonly_queries_on_client_close",
  "use_statistics_for_part_pruning",
  "optimize_const_name_size",
];

describe("a statement for the spans of traces", () => {
  test.each([
    { name: "one", sql: ofOne, keys: [first] },
    { name: "two", sql: ofTwo, keys: [first, second] },
  ])("is known: $name", ({ sql, keys }) => {
    const known = {
      table: { database: "tracing", table: "spans" },
      columns: [
        ...["format", "service", "resource_text", "scope_text", "trace_id", "span_id", "parent_span_id"],
        ...["trace_state", "flags", "name", "kind", "start", "duration", "status", "status_message"],
        ...["attribute_text", "event_text", "span_details"],
      ],
      key: "trace_id",
      keys,
      equal: { column: "tenant", parameter: "tenant" },
      places: {
        table: { database: "tracing", table: "trace_minutes" },
        partition: "received",
        minute: "minute",
      },
      partition: "received",
      time: "start",
    };
    expect(pointStatementOf(sql, [])).toEqual(known);
    expect(pointStatementOf(sql, requestSettings)).toEqual(known);
    expect(pointStatementOf(sql, new Set(requestSettings).values())).toEqual(known);
  });

  test("is known with a list of one trace, and of many", () => {
    const named = (ids: readonly string[]) =>
      ofOne.replaceAll(`= ${bytesOf(first)}`, () => `IN (${ids.map(bytesOf).join(", ")})`);
    expect(pointStatementOf(named([first]), [])?.keys).toEqual([first]);
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(32, "0"));
    expect(pointStatementOf(named(ids), [])?.keys).toEqual(ids);
  });

  test("is known by its shape, whatever the tables and columns are called", () => {
    const sql =
      "SELECT b FROM d1.t1 PREWHERE k = '\\x00\\xff' WHERE e = {p:String} AND indexHint((x, toStartOfMinute(y)) IN " +
      "(SELECT v, w FROM d2.t2 WHERE k = '\\x00\\xff')) SETTINGS max_threads = 1 FORMAT RowBinary";
    expect(pointStatementOf(sql, [])).toEqual({
      table: { database: "d1", table: "t1" },
      columns: ["b"],
      key: "k",
      keys: ["00ff"],
      equal: { column: "e", parameter: "p" },
      places: { table: { database: "d2", table: "t2" }, partition: "v", minute: "w" },
      partition: "x",
      time: "y",
    });
  });
});

describe("the engine is asked", () => {
  test.each([
    "final",
    "limit",
    "offset",
    "max_result_rows",
    "additional_table_filters",
    "additional_result_filter",
    "extremes",
    "session_timezone",
    "output_format_json_quote_64bit_integers",
    "compress",
    "max_threads ",
    "MAX_THREADS",
    "",
    "__proto__",
    "constructor",
  ])("for a request with the setting %j", (setting) => {
    expect(pointStatementOf(ofOne, [...requestSettings, setting])).toBeUndefined();
    expect(pointStatementOf(ofTwo, [setting, ...requestSettings])).toBeUndefined();
  });

  test.each<readonly [string, string | RegExp, string]>([
    ["another setting", "SETTINGS ", "SETTINGS final = 1, "],
    ["another setting at the end", " FORMAT", ", limit = 1 FORMAT"],
    ["a setting in capital letters", "max_threads", "MAX_THREADS"],
    ["a setting with a prefix", "max_threads", "my_max_threads"],
    ["a setting that is a text with a blank", "'start_index'", "'start_index, other'"],
    ["a negative setting", "max_threads = 1", "max_threads = -1"],
    ["a setting without a value", "max_threads = 1", "max_threads"],
    ["settings without a comma", "max_threads = 1, ", "max_threads = 1"],
    ["settings without a comma, behind a text", "'start_index', ", "'start_index'"],
    ["a comma behind the last setting", " FORMAT", ",  FORMAT"],
    ["no settings", /SETTINGS .* FORMAT/, "FORMAT"],
    ["the word for settings only", /SETTINGS .* FORMAT/, "SETTINGS FORMAT"],
    ["settings behind the format", /(SETTINGS .*) (FORMAT RowBinary)/, "$2 $1"],
    ["settings of the inner statement", "')) SETTINGS", "' SETTINGS max_threads = 1)) SETTINGS"],
    ["a limit", " SETTINGS", " LIMIT 10 SETTINGS"],
    ["a limit of the inner statement", "'))", "' LIMIT 1))"],
    ["an order", " SETTINGS", " ORDER BY start SETTINGS"],
    ["FINAL", "tracing.spans", "tracing.spans FINAL"],
    ["FINAL of the inner table", "trace_minutes", "trace_minutes FINAL"],
    ["a sample", "tracing.spans", "tracing.spans SAMPLE 0.1"],
    ["an alias of the table", "tracing.spans", "tracing.spans AS s"],
    ["DISTINCT", "SELECT format", "SELECT DISTINCT format"],
    ["another format", "FORMAT RowBinary", "FORMAT JSONEachRow"],
    ["a format with names", "FORMAT RowBinary", "FORMAT RowBinaryWithNames"],
    ["a format in other letters", "FORMAT RowBinary", "FORMAT rowbinary"],
    ["no format", " FORMAT RowBinary", ""],
    ["another id inside", /\\xef'\)/, "\\xee')"],
    ["another id outside", "\\x01", "\\x02"],
    ["another key inside", "minutes WHERE trace_id", "minutes WHERE span_id"],
    ["another key outside", "PREWHERE trace_id", "PREWHERE span_id"],
    ["another comparison", "PREWHERE trace_id =", "PREWHERE trace_id !="],
    ["another comparison inside", "minutes WHERE trace_id =", "minutes WHERE trace_id >"],
    ["a condition more", "{tenant:String}", "{tenant:String} AND kind = 1"],
    ["a condition instead", "{tenant:String} AND", "{tenant:String} OR"],
    ["a condition more at the end", " SETTINGS", " AND duration > 0 SETTINGS"],
    ["a condition more inside", "'))", "' AND minute > 0))"],
    ["a condition more before", "PREWHERE ", "PREWHERE duration > 0 AND "],
    ["no hint", "indexHint", ""],
    ["another function", "toStartOfMinute", "toStartOfHour"],
    ["a tenant that is named", "{tenant:String}", "'tenant'"],
    ["a parameter of another type", "{tenant:String}", "{tenant:FixedString(3)}"],
    ["a parameter as a name", "tracing.spans", "{database:Identifier}.spans"],
    ["WHERE for PREWHERE", "PREWHERE", "WHERE"],
    ["a comment", "SELECT ", "SELECT /* all */ "],
    ["a comment for a blank", "SELECT ", "SELECT/**/"],
    ["a comment before", "SELECT format", "-- spans\nSELECT format"],
    ["a comment behind", /$/, " -- spans"],
    ["a quoted column", "SELECT format", "SELECT `format`"],
    ["a column in quotes", "SELECT format", 'SELECT "format"'],
    ["a quoted table", "tracing.spans", "tracing.`spans`"],
    ["a table without a database", "tracing.spans", "spans"],
    ["a table function", "tracing.spans", "merge(tracing, 'spans')"],
    ["a column as an expression", "SELECT format", "SELECT lower(format)"],
    ["a column more as an expression", " FROM tracing.spans", ", 1 FROM tracing.spans"],
    ["a column with its table", "SELECT format", "SELECT spans.format"],
    ["a column with another name", "SELECT format", "SELECT format AS f"],
    ["all columns", /SELECT .* FROM tracing.spans/, "SELECT * FROM tracing.spans"],
    ["no columns", /SELECT .* FROM tracing.spans/, "SELECT  FROM tracing.spans"],
    ["a comma behind the last column", " FROM tracing.spans", ", FROM tracing.spans"],
    ["a column as a number", "SELECT format", "SELECT 1"],
    ["lower-case SELECT", "SELECT format", "select format"],
    ["lower-case FROM", "FROM tracing.spans", "from tracing.spans"],
    ["lower-case PREWHERE", "PREWHERE", "prewhere"],
    ["lower-case AND", " AND ", " and "],
    ["lower-case SETTINGS", "SETTINGS", "settings"],
    ["lower-case FORMAT", "FORMAT", "format"],
    ["a semicolon", /$/, ";"],
    ["a blank at the end", /$/, " "],
    ["the end of a line at the end", /$/, "\n"],
    ["a blank at the beginning", /^/, " "],
    ["two blanks", "SELECT format", "SELECT  format"],
    ["no blank", ", service", ",service"],
    ["a line for a blank", " FROM", "\nFROM"],
    ["another statement behind", /$/, "; SELECT 1"],
    ["EXPLAIN", /^/, "EXPLAIN "],
    ["a query around it", /^(.*)$/, "SELECT * FROM ($1)"],
    ["a union", " SETTINGS", " UNION ALL SELECT 1 SETTINGS"],
    ["a file for the answer", " FORMAT", " INTO OUTFILE 'x' FORMAT"],
    ["an id as text", /'(\\x[0-9a-f]{2})+'/g, `'${first}'`],
    ["an id with a letter in it", /\\x01/g, "a"],
    ["an id in capital letters", /\\xab/g, "\\xAB"],
    ["an empty id", /'(\\x[0-9a-f]{2})+'/g, "''"],
    ["an id that is a function", /'(\\x[0-9a-f]{2})+'/g, `unhex('${first}')`],
    ["an empty list", /= '(\\x[0-9a-f]{2})+'/g, "IN ()"],
    ["NOT IN", /= ('(?:\\x[0-9a-f]{2})+')/g, "NOT IN ($1)"],
  ])("for a statement with %s", (_name, part, instead) => {
    const sql = ofOne.replace(part, instead);
    expect(sql).not.toBe(ofOne);
    expect(pointStatementOf(sql, [])).toBeUndefined();
  });

  test.each<readonly [string, string, string]>([
    [
      "another order of ids in one place",
      `(${bytesOf(first)}, ${bytesOf(second)})`,
      `(${bytesOf(second)}, ${bytesOf(first)})`,
    ],
    ["the same id twice in one place", `${bytesOf(second)}))`, `${bytesOf(first)}))`],
    ["fewer ids in one place", `, ${bytesOf(second)}))) SETTINGS`, "))) SETTINGS"],
    ["a comma too many", `${bytesOf(second)})`, `${bytesOf(second)}, )`],
    ["ids without blanks between", ", '\\xfe", ",'\\xfe"],
  ])("for a statement for two traces with %s", (_name, part, instead) => {
    const sql = ofTwo.replace(part, () => instead);
    expect(sql).not.toBe(ofTwo);
    expect(pointStatementOf(sql, [])).toBeUndefined();
  });

  test.each([
    "",
    "SELECT 1",
    "SELECT format FROM tracing.spans FORMAT RowBinary",
    "INSERT INTO tracing.spans FORMAT RowBinary",
    ofOne.slice(0, -1),
    ofOne.slice(1),
    ofOne + ofOne,
  ])("for other statements: %j", (sql) => {
    expect(pointStatementOf(sql, [])).toBeUndefined();
  });

  test("for each statement that is cut short, or has a sign more or less between its words", () => {
    for (let at = 0; at < ofOne.length; at++) {
      expect(pointStatementOf(ofOne.slice(0, at), [])).toBeUndefined();
    }
    const isLetter = (at: number) => /[\w\\]/.test(ofOne[at] ?? "");
    for (let at = 0; at < ofOne.indexOf("SETTINGS"); at++) {
      expect([at, pointStatementOf(`${ofOne.slice(0, at)}?${ofOne.slice(at)}`, [])]).toEqual([at, undefined]);
      if (isLetter(at)) {
        continue;
      }
      expect([at, pointStatementOf(ofOne.slice(0, at) + ofOne.slice(at + 1), [])]).toEqual([at, undefined]);
    }
  });

  test("for settings that do not end as they should, which is known at once", () => {
    // Each piece may be cut in ten ways, so trying all combinations would never end.
    const settings = `max_threads${" = bbbbbbbbbb".repeat(30)}`;
    expect(pointStatementOf(ofOne.replace(/SETTINGS .*$/, `SETTINGS ${settings} ;`), [])).toBeUndefined();
    const many = "max_threads = 1, ".repeat(5_000);
    expect(pointStatementOf(ofOne.replace(/SETTINGS .*$/, `SETTINGS ${many};`), [])).toBeUndefined();
  });
});
