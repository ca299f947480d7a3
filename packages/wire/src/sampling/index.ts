export { legacySamplingJson, samplingJson } from "./sampling-json.ts";
