import { readFile } from 'node:fs/promises';
import { bedsInNeed } from './alerts.js';
import { parseReadings } from './readings.js';

const readings = parseReadings(await readFile(process.argv[2], 'utf8'));
for (const { bed, moisture, celsius } of bedsInNeed(readings)) {
  console.log(`${bed}: ${moisture} % moisture, ${celsius} °C`);
}
