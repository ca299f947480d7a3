/** The places of attributes. */
export const attributePlaces = ["span", "resource", "scope", "event", "link"] as const;
/** Texts of a span that are no attributes. */
export const textPlaces = ["span-name", "event-name", "status-message", "warning", "trace-state"] as const;

/** A place of a span that rules look at. Jaeger's logs are events, and its process is the resource. */
export type PrivacyPlace = (typeof attributePlaces)[number] | (typeof textPlaces)[number];

/** All places, in the order of their names in the documentation. */
export const privacyPlaces = [...attributePlaces, ...textPlaces] as const;

/** The places of rules with detectors that name none. A `tracestate` is for programs, and seldom about people. */
export const detectedPlaces: readonly PrivacyPlace[] = privacyPlaces.filter(
  (place) => place !== "trace-state",
);
