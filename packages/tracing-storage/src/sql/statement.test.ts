import { describe, expect, test } from "vitest";
import { keptQuestion, sessionStatement } from "./session-statement.ts";
import { insertFromFile, killByClientId, readStatement, resultToFile } from "./statement.ts";

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

describe("readStatement", () => {
  test.each([
    ["SELECT 1", "SELECT", undefined],
    ["  -- INSERT\n/* x */ select 1 format JSON", "SELECT", "JSON"],
    ["(SELECT 1) UNION ALL SELECT 2 FORMAT TSV SETTINGS max_threads = 1", "SELECT", "TSV"],
    ["SELECT 'a; b', \"c;\", `d;`, $x$;$x$ -- ; e\n;", "SELECT", undefined],
    ["with x as (select 1) select * from x", "WITH", undefined],
    ["SELECT 1 AS format FROM x", "SELECT", undefined],
    ["SELECT 1 AS format FROM x FORMAT CSV;", "SELECT", "CSV"],
    ["", "", undefined],
  ])("%s", (sql, verb, format) => {
    expect(readStatement(latin1(sql))).toMatchObject({ verb, format });
  });

  test.each([
    ["SELECT 1; SELECT 2", "multi-statements"],
    ["INSERT INTO t SELECT 1; DROP TABLE t", "multi-statements"],
    ["SELECT '\\';' ; SELECT 2 --'", "multi-statements"],
    ["SELECT 1 INTO OUTFILE 'x'", "INTO OUTFILE"],
    ["INSERT INTO t FROM INFILE 'x' FORMAT CSV", "FROM INFILE"],
    ["SELECT * FROM File ( 'x' )", "function file"],
    ['SELECT "fi\\le"(1)', "function file"],
    ["ATTACH TABLE t FROM '/x' (a UInt8) ENGINE = Log", "ATTACH"],
    ["CREATE DATABASE x ENGINE = SQLite('y')", "SQLITE"],
    ["create or replace database x engine = `SQLite`('y')", "SQLite"],
    ["CREATE DATABASE x ENGINE SQLite('y')", "ACCESS_DENIED"],
    ["CREATE TABLE t (a UInt8) ENGINE = EmbeddedRocksDB(0, '/x') PRIMARY KEY a", "ACCESS_DENIED"],
    ["CREATE TABLE t (a UInt8) engine/**/`Executable`('x', 'CSV')", "ACCESS_DENIED"],
    ["CREATE TABLE select ENGINE = Executable('x', 'CSV')", "ACCESS_DENIED"],
    ["DROP TABLE t PARALLEL WITH CREATE TABLE t (a UInt8) ENGINE = URL('x')", "ACCESS_DENIED"],
    ["DROP TABLE t PARALLEL WITH REPLACE TABLE t (a UInt8) ENGINE = URL('x')", "ACCESS_DENIED"],
    ["REPLACE TABLE t (a UInt8) ENGINE = S3('x')", "ACCESS_DENIED"],
    ["CREATE MATERIALIZED VIEW v ENGINE = Kafka AS SELECT 1", "ACCESS_DENIED"],
    [
      "CREATE TABLE t (a UInt8) ENGINE = MergeTree SETTINGS disk = disk(type = local, path = '/x/')",
      "ACCESS_DENIED",
    ],
    ["CREATE TABLE t (a UInt8) ENGINE = MergeTree SETTINGS disk = `Disk` /**/ (type = s3)", "ACCESS_DENIED"],
  ])("refuses %s", (sql, message) => {
    expect(() => readStatement(latin1(sql))).toThrow(message);
  });
});

test.each([
  "CREATE TABLE t (a UInt8, engine String) ENGINE = MergeTree ORDER BY a SETTINGS disk = 'default'",
  "CREATE TABLE t (a UInt8) engine replacingMergeTree ORDER BY a",
  "CREATE MATERIALIZED VIEW v ENGINE = AggregatingMergeTree ORDER BY a AS SELECT 1 AS a",
  "CREATE VIEW v AS SELECT engine FROM system.tables WHERE engine = 'URL'",
  "CREATE DATABASE d ENGINE = Atomic",
  "CREATE DATABASE IF NOT EXISTS d",
  "SELECT engine = x, 'disk(', 'ENGINE = URL' FROM system.tables -- disk(",
])("%s is let through", (sql) => {
  expect(readStatement(sql)).toBeDefined();
});

describe("insertFromFile", () => {
  const file = "FROM INFILE '/spool/it\\'s' COMPRESSION 'none'";

  test.each([
    ["INSERT INTO t FORMAT CSV\n1", `INSERT INTO t ${file}  FORMAT CSV`, "1"],
    [
      "insert into d.t (a, `b)`) format RowBinary",
      `insert into d.t (a, \`b)\`) ${file}  FORMAT RowBinary`,
      "",
    ],
    ["INSERT INTO t SETTINGS a = 1 FORMAT CSV 1", `INSERT INTO t ${file} SETTINGS a = 1  FORMAT CSV`, "1"],
    [
      "INSERT INTO t FORMAT CSV SETTINGS a = 1, b = 'x y'\r\n1",
      `INSERT INTO t ${file}  SETTINGS a = 1, b = 'x y' FORMAT CSV`,
      "1",
    ],
    [
      "INSERT INTO TABLE FUNCTION null('a UInt8') (a) VALUES (1)",
      `INSERT INTO TABLE FUNCTION null('a UInt8') (a) ${file}   FORMAT Values`,
      " (1)",
    ],
    ["INSERT INTO `ü`.t VALUES ('ü; DROP')", `INSERT INTO \`ü\`.t ${file}   FORMAT Values`, " ('ü; DROP')"],
    ["INSERT INTO format FORMAT CSV\n", `INSERT INTO format ${file}  FORMAT CSV`, ""],
    ["INSERT INTO t FORMAT CSV\n\n1", `INSERT INTO t ${file}  FORMAT CSV`, "\n1"],
  ])("%s", (sql, expected, data) => {
    const { insert } = readStatement(latin1(sql));
    expect(insert).toBeDefined();
    if (insert !== undefined) {
      expect(insertFromFile(Buffer.from(sql), insert, "/spool/it's").replace(/ +/g, " ")).toBe(
        expected.replace(/ +/g, " "),
      );
      expect(Buffer.from(sql).toString("utf8", insert.dataAt)).toBe(data);
    }
  });

  test.each(["INSERT INTO t SELECT 1 FORMAT CSV", "INSERT INTO t (a) WITH 1 AS x SELECT x", "INSERT INTO t"])(
    "%s brings no rows",
    (sql) => {
      expect(readStatement(sql).insert).toBeUndefined();
    },
  );
});

test("killByClientId leaves strings alone", () => {
  expect(killByClientId("KILL QUERY WHERE `query_id` = 'query_id' -- query_id")).toBe(
    "KILL QUERY WHERE Settings['log_comment'] = 'query_id' -- query_id",
  );
});

describe("sessionStatement", () => {
  const input = { database: "", settings: new Map(), parameters: new Map(), readOnly: false };

  test("quotes values and names", () => {
    const sql = sessionStatement({
      database: "a`b\\",
      settings: new Map([["max_threads", "1'; DROP"]]),
      parameters: new Map([["x", "\\N'"]]),
      readOnly: true,
    });
    expect(sql).toBe("USE `a\\`b\\\\`; SET param_x = '\\\\N\\'', max_threads = '1\\'; DROP', readonly = 2");
  });

  test("nothing to prepare is nothing", () => {
    expect(sessionStatement(input)).toBe("");
  });

  test("reading only is not talked out of", () => {
    expect(sessionStatement({ ...input, settings: new Map([["readonly", "0"]]), readOnly: true })).toBe(
      "SET readonly = 2",
    );
    expect(sessionStatement({ ...input, settings: new Map([["readonly", "1"]]), readOnly: true })).toBe(
      "SET readonly = '1'",
    );
  });

  test("a name that is not a word is refused", () => {
    expect(() => sessionStatement({ ...input, settings: new Map([["a b", "1"]]) })).toThrow("is not letters");
  });
});

describe("keptQuestion", () => {
  const input = {
    database: "d",
    settings: new Map([["max_threads", "2"]]),
    parameters: new Map([
      ["b", "1"],
      ["a", "it's"],
    ]),
    readOnly: true,
  };
  const keyOf = (changed: Partial<typeof input>) => keptQuestion({ ...input, ...changed }, "t")?.key;

  test("says parameters and tag again", () => {
    expect(keptQuestion(input, "t'")?.again).toBe(
      "SET param_b = '1', param_a = 'it\\'s', log_comment = 't\\''",
    );
    expect(keptQuestion({ ...input, parameters: new Map() }, "t")?.again).toBe("SET log_comment = 't'");
  });

  test("questions share a connection whatever the values of their parameters", () => {
    const others = new Map([
      ["a", "2"],
      ["b", "3"],
    ]);
    expect(keyOf({ parameters: others })).toBe(keyOf({}));
    const different = [
      keyOf({}),
      keyOf({ parameters: new Map([["a", "2"]]) }),
      keyOf({ parameters: new Map() }),
      keyOf({ settings: new Map() }),
      keyOf({ settings: new Map([["max_threads", "3"]]) }),
      keyOf({ database: "" }),
      keyOf({ readOnly: false }),
      keptQuestion({ ...input, reader: true }, "t")?.key,
    ];
    expect(new Set(different).size).toBe(different.length);
  });

  test("where nothing can be set any more, none is shared", () => {
    expect(keptQuestion({ ...input, settings: new Map([["readonly", "1"]]) }, "t")).toBeUndefined();
  });
});

describe("resultToFile", () => {
  const to = "\nINTO OUTFILE '/p' APPEND COMPRESSION 'none'\n";
  test.each([
    ["SELECT 1", `SELECT 1${to}FORMAT TSV`],
    ["SELECT 1 ; -- x", `SELECT 1${to}FORMAT TSV`],
    ["SELECT 'ü' -- format\n", `SELECT 'ü'${to}FORMAT TSV`],
    ["SELECT 'ü' FORMAT CSV ;", `SELECT 'ü'${to} FORMAT CSV`],
    [
      "SELECT 1 /* x */ FORMAT CSV SETTINGS max_threads = 1",
      `SELECT 1${to} /* x */ FORMAT CSV SETTINGS max_threads = 1`,
    ],
    [
      "SELECT format FROM x SETTINGS max_threads = 1",
      `SELECT format FROM x SETTINGS max_threads = 1${to}FORMAT TSV`,
    ],
  ])("%s", (sql, expected) => {
    expect(resultToFile(Buffer.from(sql), readStatement(latin1(sql)), "/p", "TSV")).toBe(expected);
  });
});

test.each([
  ["WITH 1 AS x INSERT INTO t SELECT x", true, false],
  ["SELECT 1 SETTINGS `profile` = 'default'", false, true],
  ["SELECT 1 SETTINGS Profile='default'", false, true],
  ["SELECT 'INSERT INTO t', profile FROM x", false, false],
])("%s inserts: %s, chooses a profile: %s", (sql, inserts, setsProfile) => {
  expect(readStatement(sql)).toMatchObject({ inserts, setsProfile });
});
