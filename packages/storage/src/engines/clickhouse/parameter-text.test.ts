import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { parameterText } from "./parameter-text.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
let connection: ClickHouseConnection;

beforeAll(async () => {
  server = await startTestServer();
  const limits = { requestTimeoutMs: 30_000, maxConnections: 4, maxReadBytes: 1_000_000 };
  connection = new ClickHouseConnection({ urls: [server.url], user: "default", password: "", ...limits });
});

afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

describe("parameterText", () => {
  test("writes numbers as they are, and quotes texts in arrays only", () => {
    expect(parameterText(7)).toBe("7");
    expect(parameterText(-(2n ** 63n))).toBe("-9223372036854775808");
    expect(parameterText("it's\ta\\b\r\n")).toBe("it\\'s\\ta\\\\b\\r\\n");
    expect(parameterText(["a", "b'c"])).toBe("['a','b\\'c']");
    expect(parameterText([])).toBe("[]");
  });

  test("writes texts that ClickHouse reads as they were", async () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).filter((one) => !one.includes("\0"));
    const odd = fc.string({
      unit: fc.constantFrom("'", "\\", "\n", "\t", "\r", "n", "}", "é"),
      maxLength: 12,
    });
    const anyText = fc.oneof(text, odd).map((one) => one.toWellFormed());
    await fc.assert(
      fc.asyncProperty(anyText, fc.array(anyText, { maxLength: 4 }), async (one, list) => {
        const rows = await connection.rows("SELECT {one:String} AS one, {list:Array(String)} AS list", {
          ...{ one, list },
        });
        expect(rows).toEqual([{ one, list }]);
      }),
      { numRuns: 40 },
    );
  });
});
