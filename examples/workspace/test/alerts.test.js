import assert from 'node:assert/strict';
import test from 'node:test';
import { bedsInNeed } from '../src/alerts.js';

test('the last reading of a bed counts', () => {
  const readings = [
    { bed: 'tomatoes', time: '08:00', moisture: 20, celsius: 15 },
    { bed: 'tomatoes', time: '12:00', moisture: 55, celsius: 19 },
    { bed: 'herbs', time: '12:00', moisture: 25, celsius: 19 },
  ];
  assert.deepEqual(
    bedsInNeed(readings).map((reading) => reading.bed),
    ['herbs'],
  );
});
