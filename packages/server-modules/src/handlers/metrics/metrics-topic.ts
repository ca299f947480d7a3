/** Message topic: the handler `metrics` asks the main thread for the metrics of all threads, as a `MetricsForm`. */
export const metricsTopic = "http.handlers.metrics/read";
