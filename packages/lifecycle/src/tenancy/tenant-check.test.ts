import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tenancyOptions } from "./tenancy-options.ts";
import { TenantCheck } from "./tenant-check.ts";

const schema = z.object(tenancyOptions());

function checkOf(enabled: boolean, tenants = ""): TenantCheck {
  return new TenantCheck(
    schema.parse({ "multi-tenancy.enabled": enabled, "multi-tenancy.tenants": tenants }),
  );
}

describe("TenantCheck", () => {
  test.each([
    ["off", checkOf(false), [], { tenant: "" }],
    ["off, header all the same", checkOf(false), ["a"], { tenant: "" }],
    ["off, listed all the same", checkOf(false, "b"), ["a"], { tenant: "" }],
    ["any", checkOf(true), ["a"], { tenant: "a" }],
    ["missing", checkOf(true), [], { problem: "missing" }],
    ["empty", checkOf(true), [""], { problem: "missing" }],
    ["several", checkOf(true), ["a", "a"], { problem: "extra" }],
    ["several that were joined", checkOf(true), ["a, b"], { problem: "extra" }],
    ["none that were joined", checkOf(true), [","], { problem: "extra" }],
    ["several that differ", checkOf(true), ["a", "b"], { problem: "extra" }],
    ["blank", checkOf(true), [" "], { problem: "missing" }],
    ["with blanks around it", checkOf(true), [" a "], { tenant: "a" }],
    ["letters, digits and signs", checkOf(true), ["Team-a_1.x/y@z:0"], { tenant: "Team-a_1.x/y@z:0" }],
    ["a tab inside", checkOf(true), ["a\tb"], { problem: "unknown" }],
    ["a blank inside", checkOf(true), ["a b"], { problem: "unknown" }],
    ["beyond ASCII", checkOf(true), ["caf\u00e9"], { problem: "unknown" }],
    ["a control", checkOf(true), ["a\u0000"], { problem: "unknown" }],
    ["150 characters", checkOf(true), ["x".repeat(150)], { tenant: "x".repeat(150) }],
    ["151 characters", checkOf(true), ["x".repeat(151)], { problem: "unknown" }],
    ["listed", checkOf(true, "a, b"), ["b"], { tenant: "b" }],
    ["not listed", checkOf(true, "a,b"), ["c"], { problem: "unknown" }],
    ["spelled otherwise", checkOf(true, "a,b"), ["A"], { problem: "unknown" }],
  ])("%s", (_what, check, values, outcome) => {
    expect(check.check(values)).toEqual(outcome);
  });

  test("looks at x-tenant, or another header in lower case", () => {
    expect(checkOf(true).header).toBe("x-tenant");
    expect(new TenantCheck(schema.parse({ "multi-tenancy.header": "X-Org" })).header).toBe("x-org");
  });
});

test("refuses to serve what is no name of a tenant", () => {
  expect(() => checkOf(true, "a,b c")).toThrow("visible characters of ASCII");
});

test.each(["", "x tenant", "x:tenant"])("refuses the header %j", (header) => {
  expect(schema.safeParse({ "multi-tenancy.header": header }).error?.issues[0]?.message).toBe(
    "not the name of a header",
  );
});
