# The public names, each from where it is made. Type checkers read this file, and so does fedpact/lazy.py.
from fedpact.game.best_response import Regret as Regret
from fedpact.game.best_response import RegretStatus as RegretStatus
from fedpact.game.best_response import best_response as best_response
from fedpact.game.best_response import regret as regret
from fedpact.game.dynamics import Dynamics as Dynamics
from fedpact.game.dynamics import DynamicsStatus as DynamicsStatus
from fedpact.game.mixed import MixedEquilibrium as MixedEquilibrium
from fedpact.game.mixed import MixedStatus as MixedStatus
from fedpact.game.result import EquilibriaStatus as EquilibriaStatus
from fedpact.game.result import PricedEquilibrium as PricedEquilibrium
from fedpact.game.solve_mixed import Solver as Solver
from fedpact.statistics.standalone import standalone as standalone
