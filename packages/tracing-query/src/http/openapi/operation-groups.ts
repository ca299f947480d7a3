import { tempoGroup } from "../../tempo/tempo-operations.ts";
import { analysisGroup } from "../analysis/analysis-endpoints.ts";
import { apiV3Operations } from "../api-v3-operations.ts";
import { metricsOperations } from "../metrics-operations.ts";
import { nameOperations } from "../name-operations.ts";
import { traceOperations } from "../trace-operations.ts";
import { descriptionGroup } from "./description-operation.ts";
import type { OperationGroup } from "./operation.ts";

/**
 * All groups of the HTTP API. New endpoints are described beside their code, and their group is added here.
 */
export const operationGroups: readonly OperationGroup[] = [
  {
    name: "Traces",
    description: "As the public model's release 1.62 answers.",
    operations: [...nameOperations, ...traceOperations],
  },
  { name: "Metrics", description: "Rates, errors and durations.", operations: metricsOperations },
  {
    name: "OTLP",
    description: "The public model's API v3: the same as JSON of OTLP, not adjusted.",
    operations: apiV3Operations,
  },
  analysisGroup,
  tempoGroup,
  descriptionGroup,
];
