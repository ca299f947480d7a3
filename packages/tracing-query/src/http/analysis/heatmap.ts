import { z } from "zod";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { heatMapOfQuery } from "./heatmap-of-query.ts";
import { microsSchema, timeMicrosOf, timeMicrosSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { spanConditionsOf, spanFilterParams, timeRangeOf } from "./span-filter.ts";
import { queryField } from "./traceql-filter.ts";

const paramsSchema = z.strictObject({
  ...spanFilterParams,
  q: queryField,
  columns: z.int().min(1).max(1_000).default(100).describe("So many slices of time."),
});

const readParams = paramsReader(paramsSchema);

// The answer gives columns and rows by index; cells without spans are omitted.
const answerSchema = z
  .strictObject({
    start: timeMicrosSchema.describe(
      "Start of the first column: the one asked for; with `q` the next multiple of a column's width before it.",
    ),
    end: timeMicrosSchema.describe(
      "End of the last column: the `end` asked for, or up to as many microseconds later as there are columns.",
    ),
    columns: z
      .int()
      .describe(
        "With `q` there may be one more than asked for, or fewer: none is narrower than a millisecond.",
      ),
    columnWidth: microsSchema.describe(
      "Whole microseconds: column `n`, from 0, holds spans that start at `start + n * columnWidth` or later.",
    ),
    spans: z.int().describe("In all cells."),
    errors: z.int(),
    cells: z
      .array(z.tuple([z.int(), z.int(), z.int(), z.int()]))
      .describe(
        "`[column, row, spans, errors]`, only those with spans, by column, then row. Row `n` is durations from 2^n ns to " +
          "2^(n+1)-1 ns; row 0 also has shorter ones. `minDuration=1024ns&maxDuration=2047ns` selects row 10.",
      ),
  })
  .meta({ id: "HeatMap" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const heatMapOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/heatmap",
  id: "getHeatMap",
  summary: "How long spans last, and how many fail, over time",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { service: "shop", columns: "60" } },
  failingExample: { status: 400, request: { query: { columns: "0" } } },
};

/**
 * `GET …/heatmap`: spans by start and duration, for the picture above a search. This is an API of our own. Each cell is
 * `[column, row, spans, errors]`; row `n` contains durations from 2^n ns upward.
 *
 * ```
 * GET …/heatmap?service=shop&columns=60
 * {"start": 1795965890056000, "end": 1795969490056000, "columns": 60, "columnWidth": 60000000,
 *  "spans": 2, "errors": 0, "cells": [[29, 26, 1, 0], [30, 24, 1, 0]]}
 * ```
 *
 * Errors: 400 for a parameter, such as `columns=0`; 400 for a condition beside `q`; 501 from a store without
 * analysis.
 */
export function heatMapEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const { columns: wanted, q, ...values } = readParams(params);
    // Column widths are whole microseconds, so the last column may end after the requested `end`.
    const asked = timeRangeOf(values, Date.now(), limits);
    const widthNano = wholeMicros(asked.endUnixNano - asked.startUnixNano, BigInt(wanted));
    const range = {
      startUnixNano: asked.startUnixNano,
      endUnixNano: asked.startUnixNano + widthNano * BigInt(wanted) - 1n,
    };
    // A TraceQL query is counted with metrics, whose columns start at multiples of their width.
    const map =
      q === undefined
        ? await service.analysis.getHeatMap({ ...spanConditionsOf(values), range, columns: wanted }, read)
        : await heatMapOfQuery(service.search, q, { values, window: { range: asked, widthNano }, read });
    const columns =
      q === undefined ? wanted : Number((asked.endUnixNano - map.startUnixNano) / map.columnNano) + 1;
    // Sums over all cells, so that the UI can say how many spans the picture shows.
    let [spans, errors] = [0, 0];
    const cells = map.cells.map((cell) => {
      spans += cell.spans;
      errors += cell.errors;
      return [cell.column, cell.durationLog2, cell.spans, cell.errors];
    });
    const answer: z.output<typeof answerSchema> = {
      start: timeMicrosOf(map.startUnixNano),
      end: timeMicrosOf(map.startUnixNano + map.columnNano * BigInt(columns)),
      columns,
      columnWidth: timeMicrosOf(map.columnNano),
      spans,
      errors,
      cells: cells as z.output<typeof answerSchema>["cells"],
    };
    return [JSON.stringify(answer)];
  };
}

/** Rounds the column width up to whole microseconds, which clients can represent as a number. */
function wholeMicros(lengthNano: bigint, columns: bigint): bigint {
  return (lengthNano / (columns * 1_000n) + 1n) * 1_000n;
}
