import { parseTraceId } from "wire/api-v2";
import { QueryError } from "../query-error.ts";
import type { Endpoint } from "./endpoint.ts";

/** `GET /api/metrics/…`: UIs show their empty state for 501, and only for that. */
export const metricsEndpoint: Endpoint = () => {
  throw new QueryError("QUERY_NOT_SUPPORTED", "metrics querying is currently disabled");
};

/** `GET /api/dependencies`: an empty list would say that no service calls another. */
export const dependenciesEndpoint: Endpoint = () => {
  throw new QueryError("QUERY_NOT_SUPPORTED", "dependencies are not supported yet");
};

/** `POST /api/transform` */
export const transformEndpoint: Endpoint = () => {
  throw new QueryError("QUERY_NOT_SUPPORTED", "transforming OTLP is not supported yet");
};

/** `POST /api/archive/{id}`, as the public model answers where no archive is configured. */
export const archiveEndpoint: Endpoint = ({ pathPart }) => {
  parseTraceId(pathPart("traceId"));
  throw new QueryError("QUERY_NOT_CONFIGURED", "archive span storage was not configured");
};
