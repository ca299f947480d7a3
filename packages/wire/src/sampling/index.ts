export { legacySamplingJson } from "./legacy-sampling-json.ts";
export { samplingJson } from "./sampling-json.ts";
export { serviceParameter } from "./service-parameter.ts";
