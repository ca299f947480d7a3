export { legacySamplingJson, samplingJson } from "./sampling-json.ts";
export { serviceParameter } from "./service-parameter.ts";
