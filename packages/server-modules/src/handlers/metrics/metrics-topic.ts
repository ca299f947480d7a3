/** Topic by which the handler `metrics`, in whichever thread, asks for those of all threads, in a `MetricsForm`. */
export const metricsTopic = "http.handlers.metrics/read";
