import { z } from "zod";
import type { AnalysisService } from "../../service/analysis-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsSchema, timeMicrosOf, timeMicrosSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { spanConditionsOf, spanFilterParams, timeRangeOf } from "./span-filter.ts";

const paramsSchema = z.strictObject({
  ...spanFilterParams,
  columns: z.int().min(1).max(1_000).default(100).describe("So many slices of time."),
});

const readParams = paramsReader(paramsSchema);

const answerSchema = z
  .strictObject({
    start: timeMicrosSchema,
    end: timeMicrosSchema.describe(
      "End of the last column: the `end` asked for, or up to as many microseconds later as there are columns.",
    ),
    columns: z.int(),
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

/** `GET …/heatmap`: spans by start and duration. */
export function heatMapEndpoint(analysis: AnalysisService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const { columns } = values;
    const asked = timeRangeOf(values, Date.now(), limits);
    const widthNano = wholeMicros(asked.endUnixNano - asked.startUnixNano, BigInt(columns));
    const endUnixNano = asked.startUnixNano + widthNano * BigInt(columns) - 1n;
    const range = { startUnixNano: asked.startUnixNano, endUnixNano };
    const map = await analysis.getHeatMap({ ...spanConditionsOf(values), range, columns }, read);
    let [spans, errors] = [0, 0];
    const cells = map.cells.map((cell) => {
      spans += cell.spans;
      errors += cell.errors;
      return [cell.column, cell.durationLog2, cell.spans, cell.errors];
    });
    const answer: z.output<typeof answerSchema> = {
      start: timeMicrosOf(map.startUnixNano),
      end: timeMicrosOf(endUnixNano + 1n),
      columns,
      columnWidth: timeMicrosOf(map.columnNano),
      spans,
      errors,
      cells: cells as z.output<typeof answerSchema>["cells"],
    };
    return [JSON.stringify(answer)];
  };
}

/** The width of a column, so that all of the range is in one, and clients can name it as a number. */
function wholeMicros(lengthNano: bigint, columns: bigint): bigint {
  return (lengthNano / (columns * 1_000n) + 1n) * 1_000n;
}
