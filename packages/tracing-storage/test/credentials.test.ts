import { expect, test } from "vitest";
import { shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.http.user=ada", "--storage.http.password=p:w");

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });

test.each([
  ["headers", "", { "X-ClickHouse-User": "ada", "X-ClickHouse-Key": "p:w" }, 200, null],
  ["Basic", "", basic("ada:p:w"), 200, null],
  ["URL", "&user=ada&password=p:w", {}, 200, null],
  ["nothing", "", {}, 401, "194"],
  ["a wrong password", "", basic("ada:p:x"), 403, "516"],
  ["a wrong user", "", basic("bob:p:w"), 403, "516"],
  ["a user alone", "&user=ada", {}, 403, "516"],
] as [string, string, Record<string, string>, number, string | null][])(
  "%s",
  async (_name, search, headers, status, code) => {
    const response = await fetch(`${storage.url}/?query=SELECT%201${search}`, { headers });
    expect([response.status, response.headers.get("x-clickhouse-exception-code")]).toEqual([status, code]);
    expect(response.headers.has("www-authenticate")).toBe(status === 401);
  },
);

test("health checks need no password", async () => {
  expect((await fetch(`${storage.url}/ping`)).status).toBe(200);
});
