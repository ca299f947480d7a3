/** Subjects by which calls of models can be grouped. */
export const genAiSubjects = [
  "model",
  "requested-model",
  "provider",
  "agent",
  "user",
  "conversation",
  "service",
] as const;
export type GenAiSubject = (typeof genAiSubjects)[number];
