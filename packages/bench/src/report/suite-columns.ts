import type { QueryReport } from "../suite/query-load.ts";
import type { SystemReport } from "../suite/run-suite.ts";
import type { Figure } from "./figure.ts";
import { ingestFigures } from "./ingest-figures.ts";
import type { Column } from "./table.ts";

/** One column for the load over gRPC, and one for the load over HTTP. */
export function ingestColumns({ title, grpc, http, bytesPerSpanAtRest }: SystemReport): [Column, Column] {
  const atRest: Figure[] =
    bytesPerSpanAtRest === undefined
      ? []
      : [{ label: "disk bytes/span", value: bytesPerSpanAtRest, unit: "bytes", compared: true }];
  return [
    { title: `${title}, gRPC`, figures: [...ingestFigures(grpc), ...atRest] },
    { title: `${title}, HTTP`, figures: [...ingestFigures(http), ...atRest] },
  ];
}

/** Makes the report's column with the latency of queries. */
export function queryColumn({ title, storedSpans, queries }: SystemReport): Column {
  const stored: Figure = { label: "spans stored when asked", value: storedSpans, unit: "count" };
  return { title, figures: [stored, ...queries.flatMap(queryFigures)] };
}

function queryFigures({ name, requests, empty, latencyMs }: QueryReport): Figure[] {
  const figures: Figure[] = [];
  if (empty < requests) {
    figures.push(
      { label: `${name}, p50 ms`, value: latencyMs.p50, unit: "ms", compared: true },
      { label: `${name}, p95 ms`, value: latencyMs.p95, unit: "ms", compared: true },
    );
  }
  figures.push({ label: `${name}, found nothing`, value: empty, unit: "count" });
  return figures;
}
