import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions";
import { version } from "lifecycle";

/** Name of the service where `OTEL_SERVICE_NAME` gives none. */
export const defaultServiceName = "server";

/** Whose spans and metrics a collector gets: name and version of the server, and what `OTEL_RESOURCE_ATTRIBUTES` says. */
export function otlpResource(): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: defaultServiceName,
        [ATTR_SERVICE_VERSION]: version.gitVersion,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}
