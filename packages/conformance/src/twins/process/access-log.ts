import { open, writeFile } from "node:fs/promises";
import { sleep } from "../client/http1-exchange.ts";
import { exchangeIdOf } from "../client/request-bytes.ts";
import type { Facts } from "../twin-case.ts";

/** Members of an entry that differ between any two runs. */
const ignored = new Set([
  "ts",
  "duration",
  "remote_port",
  "client_port",
  "err_id",
  "err_trace",
  "stacktrace",
  "traceID",
  "spanID",
]);
const pollMs = 5;

export type LogEntry = Readonly<Record<string, unknown>>;

/** The file to which a server writes its log. */
export class AccessLog {
  readonly #path: string;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Returns the entries of requests written since the last call. It waits until the file stops growing or has `wanted`
   * access entries.
   */
  async read(wanted: number, quietMs: number): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (let quiet = 0; quiet < quietMs; quiet += pollMs) {
      const text = await this.#news();
      for (const line of text.split("\n")) {
        const entry = parse(line);
        if (entry !== undefined) {
          entries.push(entry);
        }
      }
      if (text !== "") {
        quiet = 0;
      }
      if (entries.filter(isAccess).length >= wanted) {
        break;
      }
      await sleep(pollMs);
    }
    return entries;
  }

  async clear(): Promise<void> {
    await writeFile(this.#path, "", { flag: "a" });
    await this.#news();
  }

  async #news(): Promise<string> {
    const file = await open(this.#path, "r").catch(() => undefined);
    if (file === undefined) {
      return "";
    }
    try {
      const { size } = await file.stat();
      if (size <= this.#offset) {
        return "";
      }
      const bytes = Buffer.alloc(size - this.#offset);
      await file.read(bytes, 0, bytes.length, this.#offset);
      // An incomplete line is read by the next call.
      const end = bytes.lastIndexOf("\n") + 1;
      this.#offset += end;
      return bytes.toString("utf8", 0, end);
    } finally {
      await file.close();
    }
  }
}

const isAccess = (entry: LogEntry) => String(entry.logger).startsWith("http.log.access");

function parse(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) {
    return undefined;
  }
  try {
    const entry = JSON.parse(line) as LogEntry;
    return /^http\.log\.(access|error)/.test(String(entry.logger)) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function requestIdOf(entry: LogEntry): string {
  const request = entry.request as { headers?: Record<string, unknown> } | undefined;
  const value = request?.headers?.["X-Twin"];
  return Array.isArray(value) ? String(value[0]) : "";
}

/** The exchange of an entry, from the request field that identifies it. */
export const exchangeOfEntry = (entry: LogEntry): string => exchangeIdOf(requestIdOf(entry));

function flatten(path: string, value: unknown, facts: Record<string, string>): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!ignored.has(name)) {
        flatten(`${path}.${name}`, member, facts);
      }
    }
  } else {
    facts[path] = JSON.stringify(value);
  }
}

/**
 * Compared parts of the log entries of an exchange. Texts of errors are not compared, because each server has its own.
 */
export function logFacts(entries: readonly LogEntry[]): Facts {
  const facts: Record<string, string> = {};
  // Concurrent requests end in any order.
  const access = entries
    .filter(isAccess)
    .sort((one, other) => requestIdOf(one).localeCompare(requestIdOf(other)));
  const numbers = new Set<number>();
  for (const [position, entry] of access.entries()) {
    // The number of the request is used, because another request may have no entry.
    const number = Number(/\.(\d+)$/.exec(requestIdOf(entry))?.[1] ?? position);
    const index = numbers.has(number) ? access.length + position : number;
    numbers.add(index);
    const prefix = `log ${index} `;
    flatten(prefix, entry, facts);
    // Two compressors produce different lengths, and so do two boundaries of multipart bodies.
    const type = facts[`${prefix}.resp_headers.Content-Type`];
    const boundary = /multipart\/byteranges; boundary=(\w+)/.exec(type ?? "")?.[1];
    if (boundary !== undefined) {
      facts[`${prefix}.resp_headers.Content-Type`] = (type ?? "").replace(boundary, "BOUNDARY");
    }
    if (boundary === undefined && facts[`${prefix}.resp_headers.Content-Encoding`] === undefined) {
      continue;
    }
    delete facts[`${prefix}.size`];
    delete facts[`${prefix}.resp_headers.Content-Length`];
  }
  const errors = entries.filter((entry) => !isAccess(entry));
  if (errors.length > 0) {
    const lines = errors.map(({ level, logger, status }) => `${level} ${logger} ${status}`);
    facts["error log"] = lines.sort().join("\n");
  }
  return facts;
}
