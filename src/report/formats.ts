/** Data for flags and forms, which must not load what writes reports. */
export const reportFormats = ['html', 'markdown'] as const;
export type ReportFormat = (typeof reportFormats)[number];
