import { expect } from "vitest";
import { type ContractContext, write } from "./contract-context.ts";
import { attribute, newServiceName, noonUnixNano, type SpanFacts, sampleSpan, text } from "./sample-spans.ts";

interface TagCase {
  readonly span: SpanFacts;
  readonly finds: readonly (readonly [key: string, value: string])[];
  readonly misses?: readonly (readonly [key: string, value: string])[];
}

const event = (name: string) => ({
  timeUnixNano: noonUnixNano,
  name,
  attributes: [],
  droppedAttributesCount: 0,
});

const cases: Readonly<Record<string, TagCase>> = {
  "the text of each type": {
    span: {
      attributes: [
        attribute("int", { type: "int", value: -9_007_199_254_740_993n }),
        attribute("double", { type: "double", value: 72.5 }),
        attribute("whole", { type: "double", value: 2 }),
        attribute("bool", { type: "bool", value: false }),
        attribute("bytes", { type: "bytes", value: Buffer.from([0, 171]) }),
        attribute("empty", { type: "empty" }),
      ],
    },
    finds: [
      ["int", "-9007199254740993"],
      ["double", "72.5"],
      ["whole", "2"],
      ["bool", "false"],
      ["bytes", "00ab"],
      ["empty", ""],
    ],
    misses: [
      ["int", "-9007199254740992"],
      ["bool", ""],
    ],
  },
  "doubles as Go's %g writes them too": {
    span: {
      attributes: [
        attribute("small", { type: "double", value: 1e-7 }),
        attribute("large", { type: "double", value: 1.5e10 }),
        attribute("infinite", { type: "double", value: Number.POSITIVE_INFINITY }),
        attribute("int", { type: "int", value: 15_000_000_000n }),
        text("text", "15000000000"),
        text("g", "1e-07"),
      ],
      events: [{ ...event("e"), attributes: [attribute("of event", { type: "double", value: 2e-9 })] }],
    },
    finds: [
      ["small", "1e-07"],
      ["small", "1e-7"],
      ["large", "1.5e+10"],
      ["large", "15000000000"],
      ["infinite", "+Inf"],
      ["of event", "2e-09"],
      ["g", "1e-07"],
    ],
    misses: [
      ["int", "1.5e+10"],
      ["text", "1.5e+10"],
      ["small", "1e-08"],
    ],
  },
  "keys and values with characters that quoting could break": {
    span: {
      attributes: [
        text("quotes", `it's "so" \\ \\' \\n`),
        text("controls", "tab\tline\nreturn\r\b\f"),
        text("{x:String}", "{y:String}"),
        text("unicode 🦊", "žluťoučký \u{10ffff}"),
        text("percent", "%41 & = + ? #"),
      ],
    },
    finds: [
      ["quotes", `it's "so" \\ \\' \\n`],
      ["controls", "tab\tline\nreturn\r\b\f"],
      ["{x:String}", "{y:String}"],
      ["unicode 🦊", "žluťoučký \u{10ffff}"],
      ["percent", "%41 & = + ? #"],
    ],
    misses: [["quotes", "it's"]],
  },
  "repeated keys": {
    span: { attributes: [text("k", "1"), text("k", "2")] },
    finds: [
      ["k", "1"],
      ["k", "2"],
    ],
  },
  "what an OTLP span shows as tags": {
    span: {
      format: "otlp",
      kind: "producer",
      status: { code: "error", message: "card refused" },
      traceState: "vendor=1",
      scope: { name: "shop", version: "1.2.3" },
      events: [event("exception"), event("retry")],
    },
    finds: [
      ["span.kind", "producer"],
      ["error", "true"],
      ["otel.status_code", "ERROR"],
      ["otel.status_description", "card refused"],
      ["otel.scope.name", "shop"],
      ["otel.scope.version", "1.2.3"],
      ["w3c.tracestate", "vendor=1"],
      ["internal.span.format", "otlp"],
      ["event", "exception"],
      ["event", "retry"],
    ],
    misses: [
      ["span.kind", "server"],
      ["error", "false"],
      ["otel.status_code", "error"],
      ["internal.span.format", "zipkin"],
      ["event", "other"],
    ],
  },
  "what a Zipkin span shows as tags": {
    span: { format: "zipkin", kind: "client", status: { code: "ok", message: "" } },
    finds: [
      ["span.kind", "client"],
      ["otel.status_code", "OK"],
      ["internal.span.format", "zipkin"],
    ],
    misses: [["error", "true"]],
  },
  "an OTLP span's own attributes beside them": {
    span: {
      format: "otlp",
      attributes: [text("error", "timeout"), text("span.kind", "custom")],
      kind: "server",
    },
    finds: [
      ["error", "timeout"],
      ["span.kind", "custom"],
      ["span.kind", "server"],
    ],
  },
  "nothing of what an OTLP span leaves out": {
    span: { format: "otlp", kind: "unspecified", events: [event("")] },
    finds: [],
    misses: [
      ["span.kind", "unspecified"],
      ["span.kind", ""],
      ["otel.status_code", ""],
      ["otel.status_code", "UNSET"],
      ["otel.status_description", ""],
      ["otel.scope.name", ""],
      ["otel.scope.version", ""],
      ["w3c.tracestate", ""],
      ["event", ""],
      ["error", ""],
    ],
  },
  "the older model's tags as they are, and not what was derived from them": {
    span: {
      format: "jaeger",
      kind: "server",
      status: { code: "error", message: "derived" },
      attributes: [text("span.kind", "server")],
      events: [{ ...event(""), attributes: [text("event", "retry")] }],
    },
    finds: [
      ["span.kind", "server"],
      ["event", "retry"],
      ["internal.span.format", "jaeger"],
    ],
    misses: [
      ["error", "true"],
      ["otel.status_code", "ERROR"],
      ["otel.status_description", "derived"],
    ],
  },
};

/** Contract of tag searches. */
export function tagContract({ store, test }: ContractContext): void {
  const finds = async (service: string, key: string, value: string) => {
    const ids = await store().reader.findTraceIds({ service, tags: new Map([[key, value]]), limit: 10 });
    return ids.length === 1;
  };

  for (const [name, { span, finds: found, misses = [] }] of Object.entries(cases)) {
    test(`tags: ${name}`, async () => {
      const service = newServiceName();
      await write(store(), [sampleSpan({ ...span, service })]);
      for (const [key, value] of found) {
        expect(await finds(service, key, value), `${key}=${value} is found`).toBe(true);
      }
      for (const [key, value] of misses) {
        expect(await finds(service, key, value), `${key}=${value} is not found`).toBe(false);
      }
    });
  }

  test("tags: service.name is the service, in every format", async () => {
    const service = newServiceName();
    const spans = (["otlp", "proto", "jaeger", "zipkin"] as const).map((format) =>
      sampleSpan({ service, format, resource: { attributes: [] } }),
    );
    await write(store(), spans);
    const ids = await store().reader.findTraceIds({ tags: new Map([["service.name", service]]), limit: 10 });
    expect(ids.toSorted()).toEqual(spans.map(({ traceId }) => traceId).toSorted());
  });
}
