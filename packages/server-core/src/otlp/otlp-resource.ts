import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions";
import { version } from "lifecycle";

/** Name of the service when `OTEL_SERVICE_NAME` is not set. */
export const defaultServiceName = "server";

/** The resource of spans and metrics: name and version of the server, and `OTEL_RESOURCE_ATTRIBUTES`. */
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
