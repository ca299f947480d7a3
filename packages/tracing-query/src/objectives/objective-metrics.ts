import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { ObjectiveBoard } from "./objective-board.ts";
import type { ObjectiveStatus } from "./objective-status.ts";

// Names and labels of the metrics.
const prefix = "tracing_query_objective_";
const names = ["objective", "service", "tenant"] as const;

/** Registers a gauge whose values are computed at each scrape. Objectives without a value are left out. */
function gauge(
  registers: Registry[],
  { name, help }: { name: string; help: string },
  board: ObjectiveBoard,
  figureOf: (status: ObjectiveStatus) => number | undefined,
): void {
  new Gauge({
    name,
    help,
    labelNames: names,
    registers,
    collect() {
      this.reset();
      for (const status of board.statuses) {
        const value = figureOf(status);
        if (value !== undefined) {
          const { name: objective, service, tenant } = status.objective;
          this.set({ objective, service, tenant }, value);
        }
      }
    },
  });
}

/**
 * Metrics of objectives and their alerts, at `/metrics` of the admin port. Values are computed when Prometheus
 * scrapes.
 *
 * ```
 * tracing_query_objective_error_budget_left_ratio{objective="checkout",service="shop",tenant=""} 0.72
 * tracing_query_objective_burn_rate{objective="checkout",service="shop",tenant="",window="1h"} 0.4
 * tracing_query_objective_alerts_firing{severity="page"} 0
 * ```
 */
export function registerObjectiveMetrics(board: ObjectiveBoard, registry: Registry): void {
  const registers = [registry];
  gauge(
    registers,
    { name: `${prefix}target_ratio`, help: "Share of spans that must be good." },
    board,
    ({ objective }) => Number((objective.target / 100).toPrecision(12)),
  );
  gauge(
    registers,
    {
      name: `${prefix}error_budget_left_ratio`,
      help: "Share of the error budget that is left; below 0: missed. Absent without spans, and until all is counted.",
    },
    board,
    ({ budgetLeft, counts }) => (counts.isComplete ? budgetLeft : undefined),
  );
  gauge(
    registers,
    { name: `${prefix}counted_timestamp_seconds`, help: "Until when spans are counted." },
    board,
    ({ counts }) => (counts.untilMs === 0 ? undefined : counts.untilMs / 1_000),
  );
  new Gauge({
    name: `${prefix}burn_rate`,
    help: "How fast the error budget is spent; 1 spends it in the objective's window.",
    labelNames: [...names, "window"],
    registers,
    collect() {
      this.reset();
      for (const { objective, burns } of board.statuses) {
        for (const [window, { rate }] of burns) {
          if (rate !== undefined) {
            const { name, service, tenant } = objective;
            this.set({ objective: name, service, tenant, window }, rate);
          }
        }
      }
    },
  });
  registerAlertMetrics(board, registers);
}

/** Alerts that fire, the state of the file, and messages that were sent. */
function registerAlertMetrics(board: ObjectiveBoard, registers: Registry[]): void {
  new Gauge({
    name: `${prefix}alerts_firing`,
    help: "Alerts that fire.",
    labelNames: ["severity"],
    registers,
    collect() {
      for (const severity of ["page", "ticket"] as const) {
        const firing = board.statuses.filter((status) => status.firing.has(severity));
        this.set({ severity }, firing.length);
      }
    },
  });
  new Gauge({
    name: `${prefix}file_valid`,
    help: "1: the file of objectives is in use as it is now; 0: it has a mistake, and the one before counts.",
    registers,
    collect() {
      this.set(board.fileError === undefined ? 1 : 0);
    },
  });
  new Counter({
    name: `${prefix}alert_messages_total`,
    help: "Messages about alerts by what became of them; failed ones are tried again.",
    labelNames: ["target", "kind", "result"],
    registers,
    collect() {
      this.reset();
      for (const { host, settings, counts } of board.targets) {
        for (const [result, count] of Object.entries(counts)) {
          this.inc({ target: host, kind: settings.kind, result }, count);
        }
      }
    },
  });
}
