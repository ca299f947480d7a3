import { randomBytes } from "node:crypto";
import { ask } from "../../src/tracing-api/ask.ts";

/** The spans of one request: one trace, whose ids no other request has. */
export interface SpanBatch {
  readonly traceId: Buffer;
  readonly spanIds: readonly Buffer[];
}

/** The end of a request, as its sender sees it. `cut`: there was no answer, so the spans may or may not be stored. */
export type Fate = "acknowledged" | "refused" | "cut";

interface Entry {
  readonly door: string;
  readonly spans: number;
  fate: Fate;
}

/** The stored part of the sent spans. Numbers of spans, except `problems`. */
export interface LedgerReport {
  readonly sent: number;
  readonly acknowledged: number;
  readonly acknowledgedByDoor: Readonly<Record<string, number>>;
  /** Acknowledged spans that are stored once. */
  readonly found: number;
  readonly missing: number;
  /** Number of surplus rows. */
  readonly duplicates: number;
  /** Refused spans that are stored. */
  readonly refusedButFound: number;
  readonly cut: number;
  /** Spans without an answer that are stored once, with all spans of their request. */
  readonly cutButFound: number;
  /** Requests with wrong spans, at most twenty. */
  readonly problems: readonly string[];
}

const maxProblems = 20;
const prefixBytes = 8;

/**
 * Remembers every request and the answer to its sender. Trace id and span ids contain the number of their request. This
 * way a million spans need a few megabytes, and storage is compared with one row for each request.
 */
export class SpanLedger {
  readonly #prefix = randomBytes(prefixBytes);
  readonly #entries: Entry[] = [];
  readonly #mayKeepRefused: boolean;
  readonly #mayLoseAcknowledged: boolean;

  /**
   * @param mayKeepRefused true: spans of a refused request may be stored, because a proxy refused after the answer was
   * lost
   * @param mayLoseAcknowledged true: acknowledged requests may be missing, but only whole ones, and none may be stored
   * twice
   */
  constructor({ mayKeepRefused = false, mayLoseAcknowledged = false } = {}) {
    this.#mayKeepRefused = mayKeepRefused;
    this.#mayLoseAcknowledged = mayLoseAcknowledged;
  }

  /** Spans of a new request. A request that is never settled counts as cut. */
  open(door: string, spans: number): { batch: SpanBatch; settle(fate: Fate): void } {
    const entry: Entry = { door, spans, fate: "cut" };
    const number = this.#entries.push(entry);
    return {
      batch: {
        traceId: this.#traceId(number),
        spanIds: Array.from({ length: spans }, (_, index) => spanId(number, index)),
      },
      settle: (fate) => {
        entry.fate = fate;
      },
    };
  }

  /**
   * @param storageUrl URL of ClickHouse's HTTP protocol
   * @param database database with the spans
   */
  async compare(storageUrl: string, database = "tracing"): Promise<LedgerReport> {
    const stored = await this.#stored(storageUrl, database);
    const report = {
      ...{ sent: 0, acknowledged: 0, found: 0, missing: 0, duplicates: 0, refusedButFound: 0, cut: 0 },
      ...{ cutButFound: 0, acknowledgedByDoor: {} as Record<string, number>, problems: [] as string[] },
    };
    for (const [index, { door, spans, fate }] of this.#entries.entries()) {
      const { rows, distinct } = stored.get(index + 1) ?? { rows: 0, distinct: 0 };
      stored.delete(index + 1);
      report.sent += spans;
      report.duplicates += rows - distinct;
      if (fate === "acknowledged") {
        report.acknowledged += spans;
        report.acknowledgedByDoor[door] = (report.acknowledgedByDoor[door] ?? 0) + spans;
        report.found += distinct;
        report.missing += spans - distinct;
      } else if (fate === "refused") {
        report.refusedButFound += distinct;
      } else {
        report.cut += spans;
        report.cutButFound += distinct;
      }
      const isWhole = rows === spans && distinct === spans;
      const mayBeKept = fate === "cut" || this.#mayKeepRefused;
      const isGood =
        fate === "acknowledged"
          ? isWhole || (this.#mayLoseAcknowledged && rows === 0)
          : rows === 0 || (mayBeKept && isWhole);
      if (!isGood && report.problems.length < maxProblems) {
        report.problems.push(
          `request ${index + 1} over ${door}: ${spans} spans ${fate}, ${rows} rows, ${distinct} different`,
        );
      }
    }
    for (const number of stored.keys()) {
      report.problems.push(`request ${number} was never sent`);
    }
    return report;
  }

  /** Stored rows by number of the request. @throws Error when a stored id does not belong to its request */
  async #stored(
    storageUrl: string,
    database: string,
  ): Promise<Map<number, { rows: number; distinct: number }>> {
    const prefix = this.#prefix.toString("hex");
    const { status, text } = await ask(storageUrl, {
      method: "POST",
      body: `SELECT reinterpretAsUInt64(reverse(substring(trace_id, 9))) AS number, count(), uniqExact(span_id),
        lower(hex(min(span_id))), lower(hex(max(span_id))) FROM ${database}.spans
        WHERE startsWith(trace_id, unhex('${prefix}')) GROUP BY number`,
    });
    if (status !== 200) {
      throw new Error(`storage answers ${status}: ${text.slice(0, 300)}`);
    }
    const stored = new Map<number, { rows: number; distinct: number }>();
    for (const line of text.split("\n").filter(Boolean)) {
      const [number, rows, distinct, first, last] = line.split("\t");
      const spans = this.#entries[Number(number) - 1]?.spans ?? 0;
      const lowest = spanId(Number(number), 0).toString("hex");
      const highest = spanId(Number(number), spans - 1).toString("hex");
      if (String(first) < lowest || String(last) > highest) {
        throw new Error(`request ${number} has span ids ${first} to ${last}, not ${lowest} to ${highest}`);
      }
      stored.set(Number(number), { rows: Number(rows), distinct: Number(distinct) });
    }
    return stored;
  }

  #traceId(number: number): Buffer {
    const id = Buffer.alloc(16);
    this.#prefix.copy(id);
    id.writeBigUInt64BE(BigInt(number), prefixBytes);
    return id;
  }
}

function spanId(number: number, index: number): Buffer {
  const id = Buffer.alloc(8);
  id.writeUInt32BE(number, 0);
  id.writeUInt32BE(index + 1, 4);
  return id;
}
