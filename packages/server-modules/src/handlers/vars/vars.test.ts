import { compileBodyTemplate } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { describe, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";

describe("the handler vars", () => {
  test("later handlers read the values, with their types", async () => {
    const handler = await provisionHandler("vars", {
      tier: "gold",
      limit: 20,
      open: true,
      none: null,
      "{http.request.method}-name": "{http.request.host}",
    });
    const exchange = makeExchange();
    await handler.handle(exchange, () => {});
    expect([...exchange.vars]).toEqual(
      expect.arrayContaining([
        ["tier", "gold"],
        ["limit", 20],
        ["open", true],
        ["none", null],
        ["GET-name", "example.com"],
      ]),
    );
    expect(compileBodyTemplate("{http.vars.tier} {http.vars.limit}")(exchange)).toBe("gold 20");
  });

  test("a later one replaces the value of an earlier one", async () => {
    const exchange = makeExchange();
    for (const tier of ["silver", "{http.vars.tier} and gold"]) {
      const handler = await provisionHandler("vars", { tier });
      await handler.handle(exchange, () => {});
    }
    expect(exchange.vars.get("tier")).toBe("silver and gold");
  });
});

describe("its directives", () => {
  test.each([
    ["root /srv/site", { root: "/srv/site" }],
    ["fs backup", { fs: "backup" }],
    ["log_skip", { log_skip: true }],
    ["log_name audit other", { access_logger_names: ["audit", "other"] }],
    ["log_name", { access_logger_names: null }],
    ["log_level WARN", { log_level: "warn" }],
    ["vars tier gold", { tier: "gold" }],
    ['vars {\n\t\ttier gold\n\t\tlimit 20\n\t\tzip "04109"\n\t}', { tier: "gold", limit: 20, zip: "04109" }],
  ])("%s is read, and written back", async (line, members) => {
    const { result } = adaptServerfile(Buffer.from(`:80 {\n\t${line}\n}\n`), {});
    const text = JSON.stringify(result);
    for (const [name, value] of Object.entries(members)) {
      expect(text).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    }
    const back = await toServerfile(result);
    expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
  });

  test.each([
    ["root", "too few arguments"],
    ["root * /a /b", "too many arguments"],
    ["log_level loud", "invalid log level"],
    ["log_level Warn", "invalid log level"],
    ["log_skip {\n\t\tall\n\t}", "does not accept blocks"],
  ])("%s is refused", (line, message) => {
    expect(() => adaptServerfile(Buffer.from(`:80 {\n\t${line}\n}\n`), {})).toThrow(message);
  });
});
