import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attribute, AttributeValue, Span } from "wire/model";
import { attributeText, parseAttributeText, plainBytesOf, RowScanner, type SpanRows } from "wire/rows";
import { spanArbitrary } from "wire/testing/span-arbitrary";
import { plainRowsOf, rowsOf, sharingSpans, spanOf, spansOf } from "../../../test/span-rows-fixture.ts";
import { compileRule } from "./compiled-rule.ts";
import { judgeValue } from "./judge-value.ts";
import { ruleSetOf } from "./open-privacy.ts";
import { parsePrivacyRules } from "./parse-privacy-rules.ts";
import type { PrivacyPlace } from "./privacy-fields.ts";
import { PrivacyStep } from "./privacy-step.ts";
import { PlanTable } from "./rule-view.ts";
import { planFor } from "./value-plan.ts";

const hashKey = Buffer.from("a key of tests: 0123456789");
const hashOf = (text: string) => createHmac("sha256", hashKey).update(text).digest("hex").slice(0, 32);
const text = (value: string): AttributeValue => ({ type: "string", value });

function setOf(...rules: string[]) {
  const parsed = parsePrivacyRules(`rules:\n${rules.map((rule) => `- ${rule}`).join("\n")}`, "test").rules;
  return { parsed, set: ruleSetOf({ rules: parsed, hashKey }) };
}

function applied(spans: readonly Span[], ...rules: string[]) {
  const { set } = setOf(...rules);
  const changed = new PrivacyStep(set).apply(rowsOf(spans));
  return { spans: spansOf(changed), hits: [...set.hits] };
}

function attributesAfter(attributes: Record<string, AttributeValue>, ...rules: string[]) {
  const list = Object.entries(attributes).map(([key, value]) => ({ key, value }));
  const [span] = applied([{ ...spanOf({}), attributes: list }], ...rules).spans;
  return Object.fromEntries(span!.attributes.map(({ key, value }) => [key, value]));
}

describe("actions by name", () => {
  const before = {
    "user.id": text("ann"),
    "db.password": text("secret"),
    count: { type: "int", value: 5n },
    list: { type: "array", value: [text("ann")] },
    text: text("aä😀b"),
    empty: text(""),
  } as const satisfies Record<string, AttributeValue>;

  test.each<[rule: string, change: Record<string, AttributeValue | undefined>]>([
    ["{ action: remove, attributes: ['*.password'] }", { "db.password": undefined }],
    [
      "{ action: remove, attributes: ['*'] }",
      Object.fromEntries(Object.keys(before).map((key) => [key, undefined])),
    ],
    [
      "{ action: mask, attributes: [DB.Pass*, count, list, empty] }",
      { "db.password": text("****"), count: text("****"), list: text("****") },
    ],
    ["{ action: mask, attributes: ['user.*'], except: [user.id] }", {}],
    ["{ action: mask, attributes: ['????'], with: '' }", { list: text(""), text: text("") }],
    ["{ action: hash, attributes: [user.id] }", { "user.id": text(hashOf("ann")) }],
    ["{ action: truncate, attributes: [text], length: 3 }", { text: text("aä😀") }],
    ["{ action: truncate, attributes: ['*'], length: 100 }", {}],
    [
      "{ action: rename, attributes: [user.id], to: enduser.id }",
      { "user.id": undefined, "enduser.id": text("ann") },
    ],
    ["{ action: mask, attributes: [user.id], in: [resource] }", {}],
    ["{ action: mask, attributes: [user.id], services: ['cart*'] }", {}],
    [
      "{ action: mask, attributes: [user.id], services: ['sh?p'], tenants: ['*'] }",
      { "user.id": text("****") },
    ],
    ["{ action: mask, attributes: [user.id], scopes: [x] }", {}],
    ["{ action: mask, attributes: [user.id], dry-run: true }", {}],
  ])("%s", (rule, change) => {
    const after: Record<string, AttributeValue | undefined> = { ...before, ...change };
    expect(attributesAfter(before, rule)).toEqual(
      Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined)),
    );
  });

  test("a rule sees what those before it left", () => {
    expect(
      attributesAfter(
        before,
        "{ action: rename, attributes: [user.id], to: enduser.id }",
        "{ action: mask, attributes: [user.id] }",
        "{ action: hash, attributes: [enduser.id] }",
        "{ action: truncate, attributes: [enduser.id], length: 8 }",
      )["enduser.id"],
    ).toEqual(text(hashOf("ann").slice(0, 8)));
  });

  test("entries of kvlists have names too", () => {
    const user: AttributeValue = {
      type: "kvlist",
      value: [
        { key: "mail", value: text("ann") },
        {
          key: "all",
          value: { type: "array", value: [{ type: "kvlist", value: [{ key: "mail", value: text("x") }] }] },
        },
        { key: "age", value: { type: "int", value: 7n } },
      ],
    };
    expect(
      attributesAfter(
        { user },
        "{ action: remove, attributes: [user.mail] }",
        "{ action: mask, attributes: [user.all.mail] }",
      ).user,
    ).toEqual({
      type: "kvlist",
      value: [
        {
          key: "all",
          value: {
            type: "array",
            value: [{ type: "kvlist", value: [{ key: "mail", value: text("****") }] }],
          },
        },
        { key: "age", value: { type: "int", value: 7n } },
      ],
    });
  });
});

test("all attributes but some can be removed, with all that is in those", () => {
  const kept: AttributeValue = { type: "kvlist", value: [{ key: "x", value: text("1") }] };
  expect(
    attributesAfter(
      { kept, gone: kept, other: text("1") },
      "{ action: remove, attributes: ['*'], except: [kept] }",
    ),
  ).toEqual({ kept });
});

test("a rule for a whole kvlist counts once", () => {
  const user: AttributeValue = { type: "kvlist", value: [{ key: "x", value: text("1") }] };
  const span = { ...spanOf({}), attributes: [{ key: "user", value: user }] };
  const { spans, hits } = applied([span], "{ action: mask, attributes: ['user*'] }");
  expect([spans[0]!.attributes[0]!.value, hits]).toEqual([text("****"), [1]]);
});

describe("detectors", () => {
  test.each<[AttributeValue, AttributeValue]>([
    [{ type: "double", value: 4111111111111111 }, text("****")],
    [text("to a@b.de, 10.0.0.1"), text("to ****, ****")],
    [{ type: "int", value: 4111111111111111n }, text("****")],
    [
      { type: "int", value: 411111111111111n },
      { type: "int", value: 411111111111111n },
    ],
    [{ type: "bytes", value: Buffer.from("mail a@b.de") }, text("****")],
    [
      {
        type: "array",
        value: [text('"a@b.de"'), { type: "int", value: 4111111111111111n }, { type: "bool", value: true }],
      },
      { type: "array", value: [text('"****"'), text("****"), { type: "bool", value: true }] },
    ],
    [
      {
        type: "kvlist",
        value: [
          { key: "m", value: text("a@b.de") },
          { key: "n", value: { type: "double", value: 1.5 } },
        ],
      },
      {
        type: "kvlist",
        value: [
          { key: "m", value: text("****") },
          { key: "n", value: { type: "double", value: 1.5 } },
        ],
      },
    ],
  ])("%#", (before, after) => {
    expect(attributesAfter({ x: before }, "{ action: mask, detect: [email, card, ipv4] }")).toEqual({
      x: after,
    });
  });

  test("hash parts, remove wholes, and leave excepted names alone", () => {
    const before = { a: text("to a@b.de"), b: text("to a@b.de") };
    expect(attributesAfter(before, "{ action: hash, detect: [email], except: [b] }")).toEqual({
      a: text(`to ${hashOf("a@b.de")}`),
      b: before.b,
    });
    expect(attributesAfter(before, "{ action: remove, detect: [email], attributes: [a] }")).toEqual({
      b: before.b,
    });
    expect(attributesAfter(before, "{ action: mask, patterns: ['to [a-z]@'] }").a).toEqual(text("****b.de"));
  });
});

const secret = "ann@example.com";

/** A span that has the secret in every place. */
const everywhere: Span = (() => {
  const attributes: Attribute[] = [{ key: "k", value: text(secret) }];
  return {
    ...spanOf({ name: `GET /${secret}`, traceState: `x=${secret}` }),
    attributes,
    resource: { serviceName: "shop", attributes, droppedAttributesCount: 1, schemaUrl: "s" },
    scope: { name: "lib", version: "1", attributes, droppedAttributesCount: 2, schemaUrl: "t" },
    events: [
      { timeUnixNano: 1n, name: `e ${secret}`, attributes, droppedAttributesCount: 3 },
      { timeUnixNano: 2n, name: "plain", attributes: [], droppedAttributesCount: 0 },
    ],
    links: [
      {
        ...{ traceId: "ab".repeat(16), spanId: "cd".repeat(8), traceState: `y=${secret}`, attributes },
        ...{ droppedAttributesCount: 4, flags: 1, refType: "none" },
      },
    ],
    status: { code: "error", message: `no ${secret}` },
    warnings: ["plain", `bad ${secret}`],
  };
})();

test.each<[PrivacyPlace, (span: Span) => unknown]>([
  ["span", (span) => span.attributes],
  ["resource", (span) => span.resource.attributes],
  ["scope", (span) => span.scope.attributes],
  ["event", (span) => span.events[0]?.attributes],
  ["link", (span) => span.links[0]?.attributes],
  ["span-name", (span) => span.name],
  ["event-name", (span) => span.events[0]?.name],
  ["status-message", (span) => span.status.message],
  ["warning", (span) => span.warnings[1]],
])("a rule for %s changes that and nothing else", (place, of) => {
  const [span] = applied([everywhere], `{ action: mask, detect: [email], in: [${place}] }`).spans;
  expect(JSON.stringify(of(span!))).not.toContain(secret);
  const asText = (value: unknown) =>
    JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}` : part));
  expect(asText(span).split(secret)).toHaveLength(asText(everywhere).split(secret).length - 1);
  expect(JSON.parse(asText(span).replace("****", secret))).toEqual(JSON.parse(asText(everywhere)));
});

test("all places but tracestate are looked at by default, and tracestate when asked for", () => {
  const [span] = applied([everywhere], "{ action: mask, detect: [email] }").spans;
  expect(JSON.stringify([span!.traceState, span!.links[0]!.traceState])).toBe(
    '["x=ann@example.com","y=ann@example.com"]',
  );
  const both = applied(
    [everywhere],
    "{ action: mask, detect: [email] }",
    "{ action: mask, detect: [email], in: [trace-state] }",
  );
  expect(
    JSON.stringify(both.spans, (_, part) => (typeof part === "bigint" ? `${part}` : part)),
  ).not.toContain(secret);
  expect(both.hits).toEqual([9, 2]);
});

test("a dry run changes nothing and counts", () => {
  const rows = rowsOf([everywhere, everywhere]);
  const { set } = setOf(
    "{ action: mask, detect: [email], dry-run: true }",
    "{ action: remove, attributes: ['*'], dry-run: true }",
  );
  expect(new PrivacyStep(set).apply(rows)).toBe(rows);
  // Both rows share resource and scope, which are processed once.
  expect([...set.hits]).toEqual([16, 8]);
});

test("counts of services stay with the rows", () => {
  const services = {} as never;
  const { set } = setOf("{ action: mask, detect: [email] }");
  expect(new PrivacyStep(set).apply({ ...rowsOf([everywhere]), services } as never)).toMatchObject({
    services,
    count: 1,
  });
});

const manyRules = [
  "{ action: rename, attributes: [a], to: '$b' }",
  "{ action: remove, attributes: ['1', '*c*'] }",
  "{ action: mask, attributes: ['$*'], in: [event, link, scope] }",
  "{ action: mask, patterns: ['[a-z]+'], in: [span, event-name, warning, trace-state] }",
  "{ action: hash, patterns: ['[0-9][A-Z]?'], dry-run: true }",
  "{ action: truncate, attributes: ['*'], length: 5, in: [resource, span] }",
  "{ action: remove, patterns: ['[%-/]'], in: [link, status-message] }",
];

/** Bytes of the rows if each had its full prefix. */
function plainLength(rows: SpanRows): number {
  const scanner = new RowScanner();
  scanner.open(rows);
  let length = 0;
  while (scanner.next()) {
    length += scanner.prefixEnd - scanner.prefixStart + scanner.end - scanner.traceIdAt;
  }
  return length;
}

/** The expected result, computed on objects instead of bytes. */
function expectedOf(span: Span): Span {
  const compiled = setOf(...manyRules).parsed.map((rule, index) => compileRule(rule, index, hashKey));
  const list = (place: PrivacyPlace, attributes: readonly Attribute[]) =>
    attributes.flatMap(({ key, value }): Attribute[] => {
      const plan = planFor(compiled, place, key);
      const table = new PlanTable(compiled, place);
      const judged = judgeValue(plan, value.type, attributeText(value), table);
      return judged.isRemoved
        ? []
        : [{ key: plan.newKey, value: parseAttributeText(judged.type, judged.text) }];
    });
  const plain = (place: PrivacyPlace, value: string) => {
    const judged = judgeValue(planFor(compiled, place, undefined), "string", value, undefined);
    return judged.isRemoved ? "" : judged.text;
  };
  return {
    ...span,
    name: plain("span-name", span.name),
    traceState: plain("trace-state", span.traceState),
    attributes: list("span", span.attributes),
    resource: { ...span.resource, attributes: list("resource", span.resource.attributes) },
    scope: { ...span.scope, attributes: list("scope", span.scope.attributes) },
    status: { ...span.status, message: plain("status-message", span.status.message) },
    warnings: span.warnings.map((warning) => plain("warning", warning)),
    events: span.events.map((event) => ({
      ...event,
      name: plain("event-name", event.name),
      attributes: list("event", event.attributes),
    })),
    links: span.links.map((link) => ({
      ...link,
      traceState: plain("trace-state", link.traceState),
      attributes: list("link", link.attributes),
    })),
  };
}

test("rows of any spans become what their objects would", () => {
  const step = new PrivacyStep(setOf(...manyRules).set);
  fc.assert(
    fc.property(fc.array(spanArbitrary, { minLength: 1, maxLength: 4 }), (spans) => {
      const rows = rowsOf(spans.flatMap((span) => [span, { ...span, name: "again" }]));
      const changed = step.apply(rows);
      const all = spansOf(rows).map(expectedOf);
      expect(spansOf(changed)).toEqual(all);
      expect(plainBytesOf(changed)).toBe(plainLength(changed));
    }),
    { numRuns: 60 },
  );
});

test("rows that share prefixes become what rows with their own do", () => {
  const rules = [
    "{ action: mask, attributes: [zone, sampler.param] }",
    "{ action: remove, detect: [email], services: [shop] }",
  ];
  fc.assert(
    fc.property(sharingSpans, (spans) => {
      const step = (rows: ReturnType<typeof rowsOf>) => {
        const changed = new PrivacyStep(setOf(...rules).set).apply(rows);
        return [spansOf(changed), plainBytesOf(changed)];
      };
      expect(step(rowsOf(spans))).toEqual(step(plainRowsOf(spans)));
    }),
    { numRuns: 50 },
  );
});

describe("JSON in a text", () => {
  const parts = [{ type: "text", content: 'I am\nann@example.com, "Ann"' }];
  const messages = JSON.stringify([{ role: "user", parts, finish_reason: "stop" }]);
  const after = (value: string, ...rules: string[]) => {
    const { a } = attributesAfter({ a: text(value) }, ...rules);
    return a?.type === "string" ? a.value : a;
  };
  const mail = "{ action: mask, detect: [email] }";
  const keep =
    "{ action: mask, attributes: [a], keep: [role, finish_reason, parts.type, parts.id, parts.name, name] }";

  test("an escape before a finding is no part of it, so the JSON stays whole", () => {
    expect(JSON.parse(String(after(messages, mail)))).toEqual([
      { role: "user", parts: [{ type: "text", content: 'I am\n****, "Ann"' }], finish_reason: "stop" },
    ]);
  });

  test.each<[what: string, before: string, after: string]>([
    [
      "arguments of a tool, JSON in a text of JSON",
      JSON.stringify({ arguments: JSON.stringify({ to: "\nann@example.com", n: 1 }) }),
      JSON.stringify({ arguments: JSON.stringify({ to: "\n****", n: 1 }) }),
    ],
    ["the name of a member", '{"ann@example.com":1}', '{"****":1}'],
    ["a repeated member", '{"a":"ann@example.com","a":"b"}', '{"a":"****","a":"b"}'],
    ["long numbers keep their digits", '[12345678901234567890,"a@b.de"]', '[12345678901234567890,"****"]'],
    ["JSON that was cut", '[{"content":"write to ann@example.com', '[{"content":"write to ****'],
    ["nothing found: as it was", '[ 1.0, "x" ]', '[ 1.0, "x" ]'],
    ["a member named __proto__", '{"__proto__":{"m":"a@b.de"}}', '{"__proto__":{"m":"****"}}'],
  ])("detectors: %s", (_, before, wanted) => {
    expect(after(before, mail)).toBe(wanted);
  });

  test("a card that is a number is masked, an attribute with a finding is removed", () => {
    expect(after('{"card":4111111111111111}', "{ action: mask, detect: [card] }")).toBe('{"card":"****"}');
    expect(after('{"x":["a@b.de"]}', "{ action: remove, detect: [email] }")).toBeUndefined();
  });

  test.each<[what: string, before: string, after: string]>([
    [
      "names of roles and tools stay, what was said goes",
      JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "secret" }] },
        {
          role: "assistant",
          parts: [{ type: "tool_call", id: "c", name: "f", arguments: { name: "Ann", n: 5 } }],
        },
      ]),
      JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "****" }] },
        {
          role: "assistant",
          parts: [{ type: "tool_call", id: "c", name: "f", arguments: { name: "****", n: "****" } }],
        },
      ]),
    ],
    [
      "an object below a name that stays is not kept",
      '{"name":{"first":"Ann"}}',
      '{"name":{"first":"****"}}',
    ],
    ["a list below a name that stays is kept", '{"role":["a"],"x":null}', '{"role":["a"],"x":null}'],
    ["plain text goes as a whole", "secret", "****"],
    ["JSON that was cut goes as a whole", '[{"role":"user","content":"sec', "****"],
    ["JSON that is too deep goes as a whole", `${"[".repeat(9_999)}1${"]".repeat(9_999)}`, "****"],
    ["a repeated member", '{"role":"a","content":"secret","content":""}', '{"role":"a","content":""}'],
  ])("keep: %s", (_, before, wanted) => {
    expect(after(before, keep)).toBe(wanted);
  });

  test("keep holds in arrays and kvlists too, counts once, and changes nothing on a dry run", () => {
    const list: AttributeValue = {
      type: "array",
      value: [
        {
          type: "kvlist",
          value: [
            { key: "role", value: text("user") },
            { key: "content", value: text("secret") },
          ],
        },
      ],
    };
    const span = { ...spanOf({}), attributes: [{ key: "a", value: list }] };
    const { spans, hits } = applied([span], keep);
    expect(JSON.stringify(spans[0]?.attributes)).not.toContain("secret");
    expect(JSON.stringify(spans[0]?.attributes)).toContain("user");
    expect(hits).toEqual([1]);
    const dry = applied([span], keep.replace("keep:", "dry-run: true, keep:"));
    expect([dry.spans[0]?.attributes, dry.hits]).toEqual([[{ key: "a", value: list }], [1]]);
  });

  test("keep is refused beside detectors", () => {
    expect(() => setOf("{ action: mask, detect: [email], attributes: [a], keep: [b] }")).toThrow(
      /rules\[0\]\.keep: keep goes with attributes/,
    );
  });
});
