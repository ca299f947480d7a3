export const attributePlaces = ["span", "resource", "scope", "event", "link"] as const;
/** Places in a span with a text that is not an attribute. */
export const textPlaces = ["span-name", "event-name", "status-message", "warning", "trace-state"] as const;

/** A place in a span to which rules apply. Jaeger's logs are events, and its process is the resource. */
export type PrivacyPlace = (typeof attributePlaces)[number] | (typeof textPlaces)[number];

/** All places, in the order of their names in the documentation. */
export const privacyPlaces = [...attributePlaces, ...textPlaces] as const;

/** Default places for rules with detectors. A `tracestate` is read by programs, and rarely contains personal data. */
export const detectedPlaces: readonly PrivacyPlace[] = privacyPlaces.filter(
  (place) => place !== "trace-state",
);
