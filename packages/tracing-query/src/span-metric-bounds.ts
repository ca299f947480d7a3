/** Bounds of histograms in milliseconds: the defaults of OpenTelemetry's span metrics connector. */
export const connectorBoundsMs: readonly number[] = [
  2, 4, 6, 8, 10, 50, 100, 200, 400, 800, 1_000, 1_400, 2_000, 5_000, 10_000, 15_000,
];
