/** Label for all services after the first `maxServices`. */
export const otherServices = "other-services";
const unknownService = "__unknown";

/** Labels of spans in metrics. One `ServiceNames` returns the same object for equal labels. */
export interface ServiceLabels {
  /** A name made by `metricServiceName`, or `other-services`. */
  readonly service: string;
  /** True: the spans carry the debug flag. */
  readonly debug: boolean;
}

/** Returns the labels of each service. The number of labels is limited, because senders choose the names. */
export class ServiceNames {
  readonly #maxServices: number;
  /** Labels of each service name, without and with the debug flag. */
  readonly #names = new Map<string, readonly [ServiceLabels, ServiceLabels]>();
  readonly #services = new Map<string, readonly [ServiceLabels, ServiceLabels]>();
  readonly #others = labelsOf(otherServices);

  /** @param maxServices 4,000 by default, as in Jaeger */
  constructor(maxServices = 4_000) {
    this.#maxServices = maxServices;
  }

  /** @param name name as the sender wrote it */
  labels(name: string, debug: boolean): ServiceLabels {
    const labels = this.#names.get(name) ?? this.#add(name);
    return debug ? labels[1] : labels[0];
  }

  #add(name: string): readonly [ServiceLabels, ServiceLabels] {
    const service = metricServiceName(name || unknownService);
    let labels = this.#services.get(service);
    if (labels === undefined) {
      if (this.#services.size >= this.#maxServices) {
        return this.#others;
      }
      labels = labelsOf(service);
      this.#services.set(service, labels);
    }
    // Names that senders invent must not fill the memory, even when many of them share one label.
    if (this.#names.size < 2 * this.#maxServices) {
      this.#names.set(name, labels);
    }
    return labels;
  }
}

function labelsOf(service: string): readonly [ServiceLabels, ServiceLabels] {
  return [
    { service, debug: false },
    { service, debug: true },
  ];
}

/**
 * Converts a service name for metrics. ASCII letters become lower case, and `_` replaces every other character below
 * U+0100 except digits, dots and dashes. Source: Jaeger 1.62, pkg/normalizer/service_name.go
 */
export function metricServiceName(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^a-z0-9.\u0100-\u{10ffff}-]/gu, "_");
}
