declare module 'virtual:steps' {
  /** What each step does, by its name. */
  export const STEPS: Record<string, string>;
  /** The same of what may stand before the first step. */
  export const SOURCES: Record<string, string>;
}
declare module '*.css';
declare module '*?worker&url' {
  /** Where the worker's script is. */
  const address: string;
  export default address;
}
declare module 'graphology-layout-forceatlas2/iterate' {
  /** One step of the layout, in place. */
  const iterate: (settings: Record<string, number | boolean>, nodes: Float32Array, edges: Float32Array) => unknown;
  export default iterate;
}
