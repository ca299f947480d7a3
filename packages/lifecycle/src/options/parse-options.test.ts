import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { duration, hostPort } from "./fields.ts";
import { parseOptions } from "./parse-options.ts";

const schema = z.object({
  "config-file": z.string().default("").describe("File."),
  "collector.tags": z.string().default("").describe("Tags."),
  "collector.otlp.enabled": z.boolean().default(true).describe("OTLP."),
  "collector.otlp.grpc.host-port": hostPort(":4317").describe("Where."),
  "collector.num-workers": z.number().int().min(1).default(50).describe("Workers."),
  "processor.tracing-compact.timeout": duration("1s").describe("Timeout."),
  "query.headers": z.string().default("").describe("Headers.").meta({ repeatable: true }),
  "journal.sync": z.enum(["always", "off"]).default("always").describe("Sync."),
});

function parse(args: string[], environment: Record<string, string> = {}) {
  const aliases = { "processor.jaeger-compact": "processor.tracing-compact" };
  return parseOptions(schema, { arguments: args, environment, aliases });
}

function configFile(text: string, name = "config.yaml"): string {
  const path = join(mkdtempSync(join(tmpdir(), "lifecycle-")), name);
  writeFileSync(path, text);
  return path;
}

describe("precedence", () => {
  const path = configFile("collector:\n  tags: from-file\n  num-workers: 7\n  otlp.enabled: false\n");

  test("a flag given again replaces what was given, or adds a line where it may be repeated", () => {
    const { options } = parse([
      "--collector.tags=a",
      "--collector.tags=b",
      "--query.headers=a",
      "--query.headers",
      "b",
    ]);
    expect(options["collector.tags"]).toBe("b");
    expect(options["query.headers"]).toBe("a\nb");
  });

  test("flag beats environment beats file beats default", () => {
    const all = parse(["--config-file", path, "--collector.tags=from-flag"], {
      COLLECTOR_TAGS: "from-env",
      COLLECTOR_OTLP_GRPC_HOST_PORT: "127.0.0.1:1",
    });
    expect(all.options["collector.tags"]).toBe("from-flag");
    expect(all.options["collector.otlp.grpc.host-port"]).toMatchObject({ host: "127.0.0.1", port: 1 });
    expect(all.options["collector.num-workers"]).toBe(7);
    expect(all.options["collector.otlp.enabled"]).toBe(false);
    expect(all.options["journal.sync"]).toBe("always");
    expect(all.origins.get("collector.num-workers")?.source).toBe("file");
    expect(all.origins.get("journal.sync")).toEqual({ text: "always", source: "default", isSecret: false });
  });

  test("CONFIG_FILE names the file too", () => {
    expect(parse([], { CONFIG_FILE: path }).options["collector.tags"]).toBe("from-file");
  });
});

test.each([
  ["config.json", '{"collector":{"tags":"a=b","num-workers":7},"collector.otlp.enabled":false}'],
  ["config", "collector:\n  tags: a=b\n  num-workers: 7\n  otlp.enabled: false\n"],
  ["config.toml", '"collector.tags" = "a=b"\n[collector]\nnum-workers = 7\notlp.enabled = false\n'],
  ["config.properties", "collector.tags=a=b\ncollector.num-workers: 7\ncollector.otlp.enabled false\n"],
])("a file says the same as %s", (name, text) => {
  const { options } = parse(["--config-file", configFile(text, name)]);
  expect(options["collector.tags"]).toBe("a=b");
  expect(options["collector.num-workers"]).toBe(7);
  expect(options["collector.otlp.enabled"]).toBe(false);
});

test("a boolean flag may stand alone or carry a value", () => {
  expect(parse(["--collector.otlp.enabled"]).options["collector.otlp.enabled"]).toBe(true);
  expect(parse(["--collector.otlp.enabled=false"]).options["collector.otlp.enabled"]).toBe(false);
  expect(parse([], { COLLECTOR_OTLP_ENABLED: "0" }).options["collector.otlp.enabled"]).toBe(false);
});

test("the public model's prefixes are understood in flags and environment", () => {
  expect(
    parse(["--processor.jaeger-compact.timeout", "2s"]).options["processor.tracing-compact.timeout"],
  ).toBe(2000);
  expect(
    parse([], { PROCESSOR_JAEGER_COMPACT_TIMEOUT: "3s" }).options["processor.tracing-compact.timeout"],
  ).toBe(3000);
});

test.each([
  [["--nope"], {}, "unknown option --nope: see --help"],
  [["--otlp.enabled"], {}, "did you mean --collector.otlp.enabled?"],
  [["stray"], {}, 'unexpected argument "stray"'],
  [["--collector.tags"], {}, "option --collector.tags needs a value"],
  [["--collector.num-workers=0"], {}, "option --collector.num-workers: "],
  [["--collector.num-workers=many"], {}, "option --collector.num-workers: "],
  [[], { JOURNAL_SYNC: "maybe" }, "option --journal.sync (environment variable JOURNAL_SYNC): "],
  [["--config-file", "/does/not/exist"], {}, "--config-file: cannot read /does/not/exist"],
  [["--config-file", configFile("- a")], {}, "must be a mapping"],
  [["--config-file", configFile("a: [")], {}, "is not YAML or JSON"],
  [["--config-file", configFile("a: 1", "config.toml")], {}, "is not TOML: "],
  [["--config-file", configFile("a = 1", "config.hcl")], {}, "is not read: write it as YAML, JSON, TOML"],
  [
    ["--config-file", configFile("colector: {tags: x}")],
    {},
    'unknown option "colector.tags": did you mean --collector.tags?',
  ],
] as [string[], Record<string, string>, string][])("%j with %j is refused", (args, environment, message) => {
  expect(() => parse(args, environment)).toThrow(message);
});
