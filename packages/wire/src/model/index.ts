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
  maxAttributeDepth,
} from "./attribute.ts";
export {
  hasParentLink,
  isParentLink,
  lengthNano,
  type RefType,
  type Resource,
  refTypeKey,
  refTypes,
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
