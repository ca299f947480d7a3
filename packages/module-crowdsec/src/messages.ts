import type { AppsecSettings } from "./appsec-client.ts";
import type { TableData } from "./decision-table.ts";

/** Topics of messages between the app in the main thread and the threads that serve. */
export const crowdsecTopics = {
  /** A serving thread requests the state of the app: {@link Attached}. */
  attach: "crowdsec.attach",
  /** The main thread sends a new snapshot: {@link TableNews}. */
  table: "crowdsec.table",
  /** A serving thread asks for a live look-up of an address. */
  look: "crowdsec.look",
  /** The main thread asks for the counts of a thread: {@link UsageCount}. */
  usage: "crowdsec.usage",
} as const;

/** The app as serving threads see it. */
export interface Attached {
  /** ID of the bouncer. Threads ignore snapshots of other bouncers. A reload with equal settings keeps the bouncer. */
  readonly id: string;
  /** Snapshot of the decisions; undefined with live look-ups. */
  readonly table: TableData | undefined;
  /** True when a failed look-up fails the request. */
  readonly failsHard: boolean;
  /** True when the metrics `crowdsec_*` are shown. */
  readonly hasMetrics: boolean;
  /** The AppSec component; undefined without one. */
  readonly appsec: AppsecSettings | undefined;
}

export interface TableNews {
  readonly id: string;
  readonly table: TableData;
}

/** A count of one thread since its start. */
export interface UsageCount {
  readonly name: "processed" | "dropped";
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
