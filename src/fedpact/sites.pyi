# The public names, each from where it is made. Type checkers read this file, and so does fedpact/lazy.py.
from fedpact.candidates.matrix_files import read_predictions as read_predictions
from fedpact.candidates.matrix_files import write_predictions as write_predictions
from fedpact.candidates.predict import predict as predict
from fedpact.candidates.predicted import Predicted as Predicted
from fedpact.describe.candidate_list import CandidateList as CandidateList
from fedpact.describe.report_files import read_report as read_report
from fedpact.describe.reports import Noise as Noise
from fedpact.statistics.add_noise import add_noise as add_noise
from fedpact.statistics.make_report import hide_small_counts as hide_small_counts
