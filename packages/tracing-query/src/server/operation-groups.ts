import { analysisGroup } from "../http/analysis/analysis-endpoints.ts";
import { apiV3Operations } from "../http/api-v3-operations.ts";
import { deletionGroup } from "../http/deletion/deletion-endpoints.ts";
import { metricsOperations } from "../http/metrics-operations.ts";
import { nameOperations } from "../http/name-operations.ts";
import { objectivesGroup } from "../http/objectives/objectives-endpoint.ts";
import { descriptionGroup } from "../http/openapi/description-operation.ts";
import type { OperationGroup } from "../http/openapi/operation.ts";
import { traceOperations } from "../http/trace-operations.ts";
import { tempoGroup } from "../tempo/tempo-operations.ts";

/**
 * All groups of the HTTP API. A new endpoint is described in one of these groups, and a new group must be added to this
 * list.
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
  objectivesGroup,
  deletionGroup,
  tempoGroup,
  descriptionGroup,
];
