/**
 * Message topic with which the handler `metrics` asks the main thread for the metrics of all threads; the message is a
 * `MetricsForm`.
 */
export const metricsTopic = "http.handlers.metrics/read";
