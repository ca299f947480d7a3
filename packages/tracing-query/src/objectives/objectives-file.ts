import { open } from "node:fs/promises";
import { parseGoDuration } from "lifecycle";
import { parseTraceQl } from "traceql";
import { spanKinds } from "wire/model";
import { parse } from "yaml";
import { z } from "zod";
import type { AlertTargetSettings, Objective, ObjectivesFile } from "./objective.ts";
import { conditionText } from "./traceql-counts.ts";

/** Maximum number of bytes of the file: 4 MiB. A larger file is an error. */
const maxFileBytes = 4 * 1024 * 1024;
/** Maximum number of objectives in a file, because each objective is counted once a minute. */
const maxObjectives = 5_000;
/** Maximum number of alert targets of each kind. A file with more is refused. */
const maxTargets = 20;
const hourMs = 3_600_000;

/** Label names that the product sets on every alert. */
const ownLabels = ["alertname", "objective", "service", "severity", "tenant"];

/**
 * A duration in Go's form. @param least in milliseconds @param most in milliseconds @param range both limits as text,
 * for the error message
 */
function durationText(least: number, most: number, range: string) {
  return z.string().transform((text, context): number => {
    const value = parseGoDuration(text);
    if (value !== undefined && value >= least && value <= most) {
      return value;
    }
    context.addIssue(`"${text}" is not a duration from ${range}`);
    return z.NEVER;
  });
}

/** The window of an objective. Counts are kept by the hour, so the window is a multiple of an hour. */
const windowMs = durationText(hourMs * 24, hourMs * 24 * 90, "1d to 90d").refine(
  (ms) => ms % hourMs === 0,
  "is not a number of whole hours",
);

/** A condition of TraceQL, such as `span.http.route = "/pay"`; "" for none. */
const condition = z
  .string()
  .max(4_096)
  .transform((text, context): string => {
    try {
      // Text that closes the braces would change the meaning of the query.
      parseTraceQl(`{ ${text} }`);
      parseTraceQl(conditionText(text));
      return text;
    } catch (error) {
      context.addIssue(`is no condition of TraceQL: ${(error as Error).message}`);
      return z.NEVER;
    }
  });

/** Name of an additional alert label. Names in `ownLabels` are refused. */
const labelName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "is not the name of a label")
  .refine((name) => !ownLabels.includes(name), `is one of ${ownLabels.join(", ")}`);

/** One objective of the file; `Objective` explains the fields. */
const objective = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,127}$/, "is not 1 to 128 letters, digits, dots, dashes and underscores"),
    tenant: z.string().max(1_024).default(""),
    description: z.string().max(1_024).default(""),
    service: z.string().min(1).max(1_024),
    operations: z.array(z.string().max(1_024)).max(100).default([]),
    kinds: z.array(z.enum(spanKinds)).min(1).default(["server"]),
    condition: condition.default(""),
    target: z.number().gt(0).lt(100),
    window: windowMs.default(30 * 24 * hourMs),
    latency: durationText(0.000_001, hourMs, "1ns to 1h").optional(),
    minBad: z.int().min(1).default(1),
    alerts: z.boolean().default(true),
    labels: z.record(labelName, z.string().max(1_024)).default({}),
  })
  .transform(
    ({ window, latency, ...rest }): Objective => ({ ...rest, windowMs: window, latencyMs: latency }),
  );

/** Headers of the requests to a target, such as a token. */
const headers = z
  .record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/, "has other characters than ASCII"))
  .default({});
const address = z.url({ protocol: /^https?$/ });
const alertmanager = z.strictObject({ url: address, headers });
const webhook = z.strictObject({ url: address, headers, format: z.enum(["json", "slack"]).default("json") });

const fileSchema = z.strictObject({
  objectives: z.array(objective).max(maxObjectives),
  /** Address of the UI, for links in alerts. */
  ui: address.optional(),
  alertmanagers: z.array(alertmanager).max(maxTargets).default([]),
  webhooks: z.array(webhook).max(maxTargets).default([]),
});

/** Moves user and password from the address to a header, so that no message shows them. */
function targetOf(
  kind: AlertTargetSettings["kind"],
  { url, headers: given }: { url: string; headers: Record<string, string> },
  ui: string | undefined,
): AlertTargetSettings {
  const parsed = new URL(url);
  const { username, password } = parsed;
  parsed.username = "";
  parsed.password = "";
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const authorization = username === "" ? {} : { authorization: `Basic ${login.toString("base64")}` };
  if (kind === "alertmanager" && !parsed.pathname.endsWith("/api/v2/alerts")) {
    parsed.pathname = `${parsed.pathname.replace(/\/$/, "")}/api/v2/alerts`;
  }
  const link = ui === undefined ? "" : `${ui.replace(/\/$/, "")}/objectives`;
  return { kind, url: parsed.href, headers: { ...authorization, ...given }, link };
}

/**
 * Parses a file of objectives, YAML or JSON.
 *
 * ```
 * objectives:
 *   - {name: checkout, service: shop, target: 99.9}
 * webhooks:
 *   - {url: "https://hooks.example/T0/B0", format: slack}
 * ```
 *
 * @throws Error whose message names the path of the first mistake: `objectives.0.target: Too big: …`
 */
export function parseObjectives(text: string): ObjectivesFile {
  const { data, error } = fileSchema.safeParse(parse(text));
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join(".") || "the document"}: ${issue?.message}`);
  }
  const seen = new Set<string>();
  for (const { name, tenant } of data.objectives) {
    const key = `${tenant}\n${name}`;
    if (seen.has(key)) {
      throw new Error(`two objectives have the name ${name}`);
    }
    seen.add(key);
  }
  return {
    objectives: data.objectives,
    targets: [
      ...data.alertmanagers.map((one) => targetOf("alertmanager", one, data.ui)),
      ...data.webhooks.map((one) => targetOf(one.format === "slack" ? "slack" : "webhook", one, data.ui)),
    ],
  };
}

/** Reads the text of a file of objectives. @throws Error for a file that cannot be read or is over 4 MiB */
export async function readObjectivesText(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > maxFileBytes) {
        throw new Error(`is over the limit of ${maxFileBytes} bytes`);
      }
      if (bytesRead === 0) {
        return buffer.toString("utf8", 0, length);
      }
    }
  } finally {
    await file.close();
  }
}
