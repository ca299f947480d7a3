export {
  adjustedCount,
  probabilityInTags,
  probabilityOf,
  samplingThreshold,
  withSamplingProbability,
} from "./adjusted-count.ts";
export {
  type Attribute,
  type AttributeType,
  type AttributeValue,
  attributeTypeCodes,
} from "./attribute.ts";
export {
  hasParentLink,
  lengthNano,
  type RefType,
  type Resource,
  refTypeKey,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanFormat,
  type SpanKind,
  type SpanLink,
  type StatusCode,
  spanFormats,
  spanKinds,
  statusCodes,
} from "./span.ts";
