/** The base path has a file of its own, because flags need it and load nothing else of a dialect. */
export const basePath = '/api/v4';
